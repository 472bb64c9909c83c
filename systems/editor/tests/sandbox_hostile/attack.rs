//! Runs one hostile program, and checks the conditions that must hold after each.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use editor::run::{Ending, Limits, RunResult, Runner};
use tokio::sync::Mutex;

/// Attacks run one at a time, so that an attack is not blamed for the leftovers of another.
static ALONE: Mutex<()> = Mutex::const_new(());

/// Limits for a busy machine.
pub(crate) fn patient() -> Limits {
    Limits {
        wall: Duration::from_mins(1),
        ..Limits::default()
    }
}

/// Limits with little time, for programs that do not end by themselves.
pub(crate) fn brief() -> Limits {
    Limits {
        wall: Duration::from_secs(2),
        ..Limits::default()
    }
}

/// Runs a Python program.
pub(crate) async fn python(limits: Limits, code: &str) -> RunResult {
    let begin = "import os, sys\nprint(os.readlink('/proc/self/ns/pid'), flush=True)\n";
    attack(limits, "python", &format!("{begin}{code}")).await
}

/// Runs a shell script.
pub(crate) async fn shell(limits: Limits, code: &str) -> RunResult {
    attack(
        limits,
        "shell",
        &format!("readlink /proc/self/ns/pid\n{code}"),
    )
    .await
}

/// Runs code that first prints the name of its PID namespace, and removes that line from the result.
async fn attack(limits: Limits, language: &str, code: &str) -> RunResult {
    let _alone = ALONE.lock().await;
    let runner = Runner::start(limits);
    assert_eq!(runner.available(), Ok(()));
    let mut result = runner.run(language, code).await;
    let (namespace, rest) = result
        .output
        .split_once('\n')
        .expect("the first line of a program that began");
    assert!(namespace.starts_with("pid:["), "{result:?}");
    assert_ne!(
        namespace,
        namespace_of(&PathBuf::from("/proc/self")).unwrap(),
        "a namespace of its own"
    );
    assert_eq!(
        processes_in(namespace),
        Vec::<PathBuf>::new(),
        "processes that are left"
    );
    result.output = rest.to_owned();
    let next = runner.run("shell", "echo fine").await;
    assert_eq!(
        (next.output.as_str(), &next.ending),
        ("fine\n", &Ending::Done),
        "{}",
        next.error
    );
    result
}

/// Returns the processes in this PID namespace, as the host sees them.
pub(crate) fn processes_in(namespace: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir("/proc").expect("/proc").flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| namespace_of(path).as_deref() == Some(namespace))
        .collect()
}

fn namespace_of(process: &std::path::Path) -> Option<String> {
    Some(
        fs::read_link(process.join("ns/pid"))
            .ok()?
            .to_string_lossy()
            .into_owned(),
    )
}

/// A file of the host that everyone may access, in a directory that everyone may access.
pub(crate) struct Secret {
    _directory: tempfile::TempDir,
    pub(crate) path: PathBuf,
}

impl Secret {
    pub(crate) const TEXT: &str = "the-secret-of-the-host";

    pub(crate) fn new() -> Self {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("secret");
        fs::write(&path, Self::TEXT).unwrap();
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        Self {
            _directory: directory,
            path,
        }
    }

    pub(crate) fn assert_untouched(&self) {
        assert_eq!(fs::read_to_string(&self.path).unwrap(), Self::TEXT);
        let beside = fs::read_dir(self.path.parent().unwrap()).unwrap().count();
        assert_eq!(beside, 1, "nothing was put beside it");
    }
}
