//! The settings of the study of the registry, as the command line states them, and the flags that follow from them.

use std::path::{Path, PathBuf};

use harness::{LaunchError, RedisAndNats};

/// Number of namespaces in the part with tenants.
const TENANTS: usize = 10;

/// Settings of the study of the registry.
#[derive(Clone, Debug, Default)]
pub struct RegistrySettings {
    /// Where the registry stores its state.
    pub backend: RegistryBackend,
    /// A random number. It distinguishes the keys and subjects of this study from those of others on the same servers.
    pub id: u64,
    /// Whether the bursts are 50 s apart, as in the field report, instead of 5 s.
    pub long_silences: bool,
    /// Length of the part in which registrations expire. `None`: the part is left out.
    pub sustained: Option<Sustained>,
}

/// Where the registry stores its state.
#[derive(Clone, Debug, Default)]
pub enum RegistryBackend {
    /// In the registry itself.
    #[default]
    Embedded,
    /// In Redis and NATS, which the study starts.
    Started,
    /// In Redis and NATS, which already run.
    Running {
        /// URLs of Redis, or of the nodes of a cluster.
        redis: Vec<String>,
        /// URLs of NATS servers.
        nats: Vec<String>,
    },
}

/// Length of the part in which registrations expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sustained {
    /// Ten minutes.
    TenMinutes,
    /// One hour.
    SixtyMinutes,
}

/// The URLs of Redis and of NATS, separated by commas. The registry takes them in this form.
#[derive(Debug)]
pub(super) struct Urls {
    pub(super) redis: String,
    pub(super) nats: String,
    /// See [`RegistrySettings::id`].
    pub(super) study: u64,
}

/// Returns the URLs of the backend. `None` for the embedded one.
pub(super) fn urls(settings: &RegistrySettings, started: Option<&RedisAndNats>) -> Option<Urls> {
    let (redis, nats) = match (&settings.backend, started) {
        (RegistryBackend::Running { redis, nats }, _) => (redis.join(","), nats.join(",")),
        (_, Some(started)) => (started.redis_url(), started.nats_url()),
        (_, None) => return None,
    };
    Some(Urls {
        redis,
        nats,
        study: settings.id,
    })
}

impl Urls {
    /// Returns the flags for one part, whose keys and subjects have a prefix of their own.
    pub(super) fn flags(&self, part: &str) -> Vec<String> {
        let own = format!("study{:x}-{part}", self.study);
        let flags = [
            ("--redis", self.redis.clone()),
            ("--nats", self.nats.clone()),
            ("--redis-prefix", format!("{own}:")),
            ("--nats-prefix", format!("{own}.")),
        ];
        let pairs = flags.into_iter();
        pairs
            .flat_map(|(flag, value)| [flag.to_owned(), value])
            .collect()
    }
}

/// The file with the namespaces of the part with tenants.
pub(super) fn namespaces(folder: &Path) -> PathBuf {
    folder.join("namespaces.json")
}

/// Writes the file with the namespaces. The scenario uses the same names and tokens.
pub(super) fn write_namespaces(folder: &Path) -> Result<(), LaunchError> {
    let tenant = |n| format!(r#""tenant-{n}": {{ "token": "token-{n}" }}"#);
    let all: Vec<String> = (0..TENANTS).map(tenant).collect();
    let text = format!("{{ {} }}\n", all.join(", "));
    std::fs::write(namespaces(folder), text).map_err(|why| LaunchError::Start {
        name: "registry".to_owned(),
        why,
    })
}
