//! The command that starts a sandbox, with its user, its inherited descriptors, and the setup before the program.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use command_fds::{CommandFdExt, FdMapping};
use rustix::fs::{MemfdFlags, memfd_create};

use super::filter;
use super::group::Groups;
use super::limits::Limits;
use super::sandbox::{self, CODE, FILTER, GATE, STATUS};
use super::shown::Shown;
use super::user::NOBODY;

/// The first process of the sandbox, which prepares and outlives the client's program:
///
/// - It closes inherited descriptors.
/// - It makes the program the first victim of the out-of-memory killer, and lowers its CPU priority.
/// - It limits each process (`$1` memory and `$2` files in KiB, `$3` open files, `$4` processes, `$5` CPU seconds).
/// - It runs the language's command, `$6`, as a child, because programs expect signals to work. The kernel ignores most
///   signals to the first process of a namespace.
///
/// When the first process ends, the kernel ends all others. Bash's own messages about the end of the child are
/// discarded.
const LAUNCHER: &str = r#"
for descriptor in /proc/self/fd/*; do
  descriptor=${descriptor##*/}
  [ "$descriptor" -le 2 ] || { eval "exec $descriptor<&-"; } 2> /dev/null
done
{ echo 1000 > /proc/self/oom_score_adj; echo 5 > /proc/self/autogroup; } 2> /dev/null
limit() {
  ulimit "$1" "$2" 2> /dev/null && return
  [ "$(ulimit -H "$1")" -le "$2" ] 2> /dev/null && return
  echo "the sandbox cannot limit its processes (ulimit $1)" >&2
  exit 125
}
limit -c 0; limit -l 64; limit -q 0; limit -s 8192
limit -d "$1"; limit -f "$2"; limit -n "$3"; limit -u "$4"; limit -t "$5"
exec 9>&2 2> /dev/null
nice -n 5 bash -c "$6" 2>&9 9>&-
exit $?
"#;

/// The parameters of one sandbox.
pub(super) struct Launch<'a> {
    pub(super) bubblewrap: &'a Path,
    pub(super) limits: &'a Limits,
    pub(super) as_root: bool,
    /// The directory in which to create control groups, if possible.
    pub(super) groups: Option<&'a Groups>,
    /// The script that bash runs in the sandbox. It never contains text from a client.
    pub(super) script: &'a str,
    /// The name of the file in `/tmp`, and its content.
    pub(super) code: Option<(&'a str, &'a str)>,
    pub(super) shown: Option<&'a Shown>,
}

impl Launch<'_> {
    /// Builds the command. Bubblewrap writes the pid of the sandbox's first process to `status`, and starts the program
    /// when the other end of `gate` is closed.
    pub(super) fn command(&self, status: OwnedFd, gate: Option<OwnedFd>) -> io::Result<Command> {
        let filter =
            filter::program().ok_or_else(|| io::Error::other("no filter for this processor"))?;
        let mut inherited = vec![
            FdMapping {
                parent_fd: in_memory("filter", &filter)?,
                child_fd: FILTER,
            },
            FdMapping {
                parent_fd: status,
                child_fd: STATUS,
            },
        ];
        if let Some((_, code)) = self.code {
            inherited.push(FdMapping {
                parent_fd: in_memory("code", code.as_bytes())?,
                child_fd: CODE,
            });
        }
        let waits = gate.is_some();
        inherited.extend(gate.map(|gate| FdMapping {
            parent_fd: gate,
            child_fd: GATE,
        }));
        let mut command = Command::new(self.bubblewrap);
        if waits {
            command.args(["--block-fd", &GATE.to_string()]);
        }
        command.args(sandbox::arguments(
            self.limits,
            self.code.map(|(file, _)| file),
            self.shown,
        ));
        command.args(["--", "bash", "-c", LAUNCHER, "launcher"]);
        command
            .args(self.per_process().iter().map(OsStr::new))
            .arg(self.script);
        // Clear the environment, because bubblewrap becomes the sandbox's first process, whose environment programs can
        // read.
        command.env_clear().current_dir("/");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if self.as_root {
            command.uid(NOBODY).gid(NOBODY); // the standard library also drops supplementary groups
        }
        command.fd_mappings(inherited).map_err(io::Error::other)?;
        Ok(command)
    }

    fn per_process(&self) -> [String; 5] {
        let limits = self.limits;
        let kibibytes = |bytes: u64| (bytes / 1024).to_string();
        [
            // This exceeds the limit for all processes together. A program that grows slowly therefore reaches the
            // common limit first, and is stopped with a reason.
            kibibytes(limits.memory / 4 * 5),
            kibibytes(limits.files),
            limits.open_files.to_string(),
            limits.processes.to_string(),
            (limits.wall.as_secs() + 1).to_string(),
        ]
    }
}

/// Creates an anonymous file with this content, positioned at its start.
fn in_memory(name: &str, content: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create(name, MemfdFlags::CLOEXEC)?);
    file.write_all(content)?;
    file.rewind()?;
    Ok(file.into())
}
