//! Becomes another program that ends with its parent process. A process can ask the kernel for this only for itself, and
//! the request remains in effect when the process becomes another program.
//!
//! headcount starts its systems in this way. It is not a command for users, so no help, manual page or completion has it.

use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use anyhow::{Context as _, bail};
use harness::END_WITH_PARENT;
use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};

use crate::exit::Exit;

/// Becomes the program if the arguments ask for this. Returns `None` if they do not.
pub(crate) fn requested(mut args: impl Iterator<Item = OsString>) -> Option<anyhow::Result<Exit>> {
    (args.nth(1)? == END_WITH_PARENT).then(|| end_with_parent(args))
}

/// The kernel sends SIGTERM to the program when the thread that started this process ends, for whatever reason.
fn end_with_parent(mut args: impl Iterator<Item = OsString>) -> anyhow::Result<Exit> {
    let parent = args.next().and_then(|id| id.to_str()?.parse::<i32>().ok());
    let (Some(parent), Some(program)) = (parent, args.next()) else {
        bail!("usage: headcount {END_WITH_PARENT} PID PROGRAM [ARGUMENT]...");
    };
    set_parent_process_death_signal(Some(Signal::TERM))
        .context("cannot ask for a signal at the end of the parent process")?;
    // The parent may have ended before the request.
    if getppid().map(Pid::as_raw_pid) != Some(parent) {
        return Ok(Exit::Interrupted);
    }
    let why = Command::new(&program).args(args).exec();
    Err(why).with_context(|| format!("cannot start `{}`", program.display()))
}
