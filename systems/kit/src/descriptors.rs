//! The limit on open files. A system keeps some files in reserve for databases, logs, child processes and connections
//! that it refuses.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Maximum number of files in reserve. Most of them are for connections that the system refuses.
const RESERVE: u64 = 768;

/// Raises the limit on open files as far as the operating system allows. Returns the number of connections that may
/// then be open, at most `wanted`. Logs a warning if that is fewer than `wanted`.
#[must_use]
pub fn connections(wanted: u32) -> u32 {
    let limit = raised();
    let most = within(wanted, limit);
    if most < wanted {
        tracing::warn!(
            wanted,
            most,
            open_files = limit,
            "raise the limit on open files (`ulimit -n`) to allow `--max-connections`"
        );
    }
    most
}

/// Raises the limit as far as possible and returns the limit then in effect. `None` if there is no limit.
fn raised() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    // If the limit cannot be raised, the previous one stays in effect.
    let _ = setrlimit(Resource::Nofile, raised);
    getrlimit(Resource::Nofile).current
}

/// Returns how many of the `wanted` connections the limit allows. Half of the limit is reserved, but at most `RESERVE`
/// files.
fn within(wanted: u32, limit: Option<u64>) -> u32 {
    let room = limit.map_or(u64::MAX, |limit| {
        (limit / 2).max(limit.saturating_sub(RESERVE))
    });
    u32::try_from(u64::from(wanted).min(room))
        .unwrap_or(wanted)
        .max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_for_the_system_itself() {
        assert_eq!(within(60_000, None), 60_000);
        assert_eq!(within(60_000, Some(1 << 20)), 60_000);
        assert_eq!(within(60_000, Some(4096)), 3328);
        assert_eq!(within(100, Some(4096)), 100);
        assert_eq!(within(60_000, Some(256)), 128);
        assert_eq!(within(60_000, Some(0)), 1);
    }
}
