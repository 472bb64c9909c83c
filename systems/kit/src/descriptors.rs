//! The limit on open files. A system keeps some files in reserve for databases, logs, child processes and connections
//! that it refuses.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Maximum number of files in reserve. Most of them are for connections that the system refuses.
const RESERVE: u64 = 768;

/// Connections that the limit on open files allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// Maximum number of open connections.
    pub(crate) connections: u32,
    /// Maximum number of further connections that are open only until they are refused.
    pub(crate) beyond: usize,
}

/// Raises the limit on open files as far as the operating system allows. Returns how many of the `wanted` connections
/// may then be open. Logs a warning if not all of them may.
pub(crate) fn room(wanted: u32) -> Room {
    let limit = raised();
    let room = within(wanted, limit);
    if room.connections < wanted {
        tracing::warn!(
            wanted,
            most = room.connections,
            open_files = limit,
            "the limit on open files (`ulimit -n`) allows fewer connections than `--max-connections`"
        );
    }
    room
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

/// Half of the limit is reserved, but at most `RESERVE` files. Two thirds of the reserve are for connections that the
/// system refuses.
fn within(wanted: u32, limit: Option<u64>) -> Room {
    let limit = limit.unwrap_or(u64::MAX);
    let room = (limit / 2).max(limit.saturating_sub(RESERVE));
    let reserve = (limit - room).min(RESERVE);
    let connections = u32::try_from(u64::from(wanted).min(room)).unwrap_or(wanted);
    Room {
        connections: connections.max(1),
        beyond: usize::try_from(reserve * 2 / 3).unwrap_or(0).max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_for_the_system_itself() {
        let of = |wanted, limit| {
            let room = within(wanted, limit);
            (room.connections, room.beyond)
        };
        assert_eq!(of(60_000, None), (60_000, 512));
        assert_eq!(of(60_000, Some(1 << 20)), (60_000, 512));
        assert_eq!(of(60_000, Some(4096)), (3328, 512));
        assert_eq!(of(100, Some(4096)), (100, 512));
        assert_eq!(of(60_000, Some(1024)), (512, 341));
        assert_eq!(of(60_000, Some(256)), (128, 85));
        assert_eq!(of(60_000, Some(0)), (1, 1));
    }
}
