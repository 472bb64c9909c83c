//! Examines this machine, to find out whether bubblewrap creates closed sandboxes and which languages are installed.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use rustix::pipe::{PipeFlags, pipe_with};

use super::group::Groups;
use super::language;
use super::launch::Launch;
use super::limits::Limits;

const INSTALL: &str = "Install bubblewrap 0.8 or later (on Debian: `apt install bubblewrap`) and start the server again";
const ALLOW: &str = "The machine must allow unprivileged user namespaces \
    (sysctl `user.max_user_namespaces`, `kernel.unprivileged_userns_clone`, `kernel.apparmor_restrict_unprivileged_userns`; \
    in a container, its seccomp profile)";
const STEP: Duration = Duration::from_millis(5);
/// Maximum number of steps to wait for the probe, 20 s in total.
const STEPS: usize = 4000;

/// The properties of this machine that sandboxes need.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) bubblewrap: PathBuf,
    pub(super) as_root: bool,
    /// The directory in which to create control groups, if possible.
    pub(super) groups: Option<Groups>,
    /// The names of the installed languages.
    pub(super) languages: Vec<&'static str>,
}

/// Searches for bubblewrap in `path` (in the format of `PATH`) and tests it. The error is a sentence for people.
pub(super) fn look(limits: &Limits, path: &OsStr) -> Result<Machine, String> {
    let bubblewrap =
        find("bwrap", path).ok_or_else(|| format!("`bwrap` is not in the PATH. {INSTALL}."))?;
    if super::filter::program().is_none() {
        return Err(
            "the filter of system calls supports only x86-64 and ARM64 processors.".to_owned(),
        );
    }
    let as_root = rustix::process::geteuid().is_root();
    let said = probe(&bubblewrap, limits, as_root)?;
    let (restrictions, commands) = said.split_once("--\n").unwrap_or((&said, ""));
    for restriction in ["CapEff:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"] {
        if !restrictions.lines().any(|line| line == restriction) {
            return Err(format!(
                "bubblewrap runs, but its sandbox is not closed: `{}` is missing.",
                restriction.replace('\t', " ")
            ));
        }
    }
    let there = |command: &str| commands.lines().any(|line| line == command);
    let languages = language::all()
        .iter()
        .filter(|language| there(language.command))
        .map(|language| language.name);
    Ok(Machine {
        bubblewrap,
        as_root,
        groups: limits.control_groups.then(Groups::find).flatten(),
        languages: languages.collect(),
    })
}

/// Finds a command. Searches only absolute directories; otherwise a server started in another user's directory could
/// run that user's files.
fn find(command: &str, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(command))
        .find(|candidate| candidate.is_file())
}

/// Runs a sandbox that prints its own `/proc/self/status` and the commands that it contains.
fn probe(bubblewrap: &Path, limits: &Limits, as_root: bool) -> Result<String, String> {
    let mut script = "cat /proc/self/status && echo --\n".to_owned();
    for command in language::all().iter().map(|language| language.command) {
        script += &[
            "command -v ",
            command,
            " > /dev/null && echo ",
            command,
            "\n",
        ]
        .concat();
    }
    script += "true\n";
    let launch = Launch {
        bubblewrap,
        limits,
        as_root,
        groups: None,
        script: &script,
        code: None,
        shown: None,
    };
    let failed = |error: io::Error| format!("bubblewrap could not be started: {error}. {INSTALL}.");
    // Nothing reads the status, whose few bytes fit into the pipe.
    let (_unread, status) = pipe_with(PipeFlags::CLOEXEC).map_err(|errno| failed(errno.into()))?;
    let mut command = launch.command(status, None).map_err(failed)?;
    let mut child = command.stdin(Stdio::null()).spawn().map_err(failed)?;
    drop(command); // closes its end of the pipe
    if !ended(&mut child).map_err(failed)? {
        child.kill().and_then(|()| child.wait()).map_err(failed)?;
        return Err(format!("bubblewrap did not exit within 20 s. {INSTALL}."));
    }
    let output = child.wait_with_output().map_err(failed)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "bubblewrap does not work on this machine ({}). {ALLOW}.",
            said.trim()
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Waits for the probe to end. Returns `false` on timeout. The probe cannot block, because its output fits into the
/// pipes.
fn ended(child: &mut Child) -> io::Result<bool> {
    for _ in 0..STEPS {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        thread::sleep(STEP);
    }
    Ok(false)
}
