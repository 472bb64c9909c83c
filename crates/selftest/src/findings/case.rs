//! A case: a scenario on the truth server, and the cause that it produces.

use harness::{Harness, Part};

/// What a case shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// The server has this limit, and the load reaches it.
    Fault(&'static str),
    /// The server uses all cores with this number of threads; with more cores than threads, the threads are the limit.
    Threads(usize),
    /// Threads of the server take turns. On one core, this core is the limit.
    Turns,
    /// The server has no limit.
    Healthy,
    /// The server has a limit that the load does not reach, or a flaw that is no limit.
    NearMiss,
}

/// One case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) truth: Truth,
    source: &'static str,
    /// Flags of the server.
    pub(crate) flags: &'static [&'static str],
    /// Whether the server may use all cores, also those of the generator.
    pub(crate) on_all_cores: bool,
    /// Whether the server must have its temporary files on a disk.
    pub(crate) on_disk: bool,
    /// CPU quota of the server, in cores.
    pub(crate) quota: Option<f64>,
    /// Largest number of local ports with which the case shows something.
    pub(crate) most_ports: Option<u32>,
    /// Whether a run takes more than five minutes, so that the case is run only on request.
    pub(crate) is_long: bool,
}

impl Case {
    /// The scenario.
    pub(crate) fn part(&self) -> Part {
        Part {
            name: self.name,
            title: self.name,
            file: "findings.ts",
            source: self.source,
            modules: &[],
        }
    }

    /// The cause that must be named first. `None` if none may be named.
    pub(crate) fn expected(&self, harness: &Harness) -> Option<&'static str> {
        match self.truth {
            Truth::Fault(cause) => Some(cause),
            Truth::Threads(threads) if harness.system_cores.len() > threads => {
                Some("saturated_pool")
            }
            Truth::Turns if std::thread::available_parallelism().is_ok_and(|all| all.get() > 1) => {
                Some("lock_convoy")
            }
            Truth::Threads(_) | Truth::Turns => Some("all_cores"),
            Truth::Healthy | Truth::NearMiss => None,
        }
    }
}

/// A case with a server on its own cores.
pub(super) const fn case(name: &'static str, truth: Truth, source: &'static str) -> Case {
    Case {
        name,
        truth,
        source,
        flags: &[],
        on_all_cores: false,
        on_disk: false,
        quota: None,
        most_ports: None,
        is_long: false,
    }
}

/// The case with a server that has this CPU quota, in cores.
pub(super) const fn with_quota(case: Case, cores: f64) -> Case {
    Case {
        quota: Some(cores),
        ..case
    }
}

/// The case on a machine with at most this number of local ports.
pub(super) const fn with_few_ports(case: Case, most: u32) -> Case {
    Case {
        most_ports: Some(most),
        ..case
    }
}

/// The case, which takes more than five minutes.
pub(super) const fn long(case: Case) -> Case {
    Case {
        is_long: true,
        ..case
    }
}

/// The case with a server that has these flags.
pub(super) const fn with_flags(case: Case, flags: &'static [&'static str]) -> Case {
    Case { flags, ..case }
}

/// The case with a server whose temporary files are on a disk.
pub(super) const fn on_disk(case: Case) -> Case {
    Case {
        on_disk: true,
        ..case
    }
}

/// The case with a server on all cores.
pub(super) const fn on_all_cores(case: Case) -> Case {
    Case {
        on_all_cores: true,
        ..case
    }
}
