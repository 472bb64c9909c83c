//! Runs one program until none of its processes is left.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout};

use super::capture::Capture;
use super::group::Group;
use super::launch::Launch;
use super::result::{Ending, RunResult};
use super::usage;

/// Time limit for actions that the kernel performs immediately, such as ending processes and closing pipes.
const AT_ONCE: Duration = Duration::from_secs(5);

/// Runs the program. Dropping the future also ends the sandbox: bubblewrap is killed, and `--die-with-parent` then
/// kills the first process and thereby all others.
pub(super) async fn run(launch: &Launch<'_>) -> RunResult {
    match tried(launch).await {
        Ok(result) => result,
        Err(error) => RunResult::refused(Ending::Broken(error.to_string())),
    }
}

async fn tried(launch: &Launch<'_>) -> io::Result<RunResult> {
    let deadline = Instant::now() + launch.limits.wall;
    let (status, told) = pipe()?;
    let group = launch
        .groups
        .and_then(|groups| groups.make(launch.limits.memory).ok());
    let (gate, opens) = group.as_ref().map(|_| std::io::pipe()).transpose()?.unzip();
    let mut command = Command::from(launch.command(status, gate.map(OwnedFd::from))?);
    let mut child = command.kill_on_drop(true).spawn()?;
    drop(command); // closes its end of the pipe
    let (full, mut filled) = mpsc::channel(2);
    let streams = child.stdout.take().zip(child.stderr.take());
    let (stdout, stderr) = streams.ok_or_else(|| io::Error::other("no pipes"))?;
    let most = launch.limits.output;
    let output = Capture::start(stdout, most, full.clone());
    let error = Capture::start(stderr, most, full.clone());

    let sandbox = Sandbox::of(told).await;
    let group = group.filter(|group| sandbox.enters(group));
    drop(opens); // the program starts, now inside of the group
    let memory = launch.limits.memory;
    let ending = tokio::select! {
        biased;
        ended = child.wait() => ending(ended?),
        Some(()) = filled.recv() => Ending::Output(most),
        () = sandbox.beyond(memory, group.is_none()) => Ending::Memory(memory),
        () = sleep_until(deadline) => Ending::Time(launch.limits.wall.as_millis()),
    };
    sandbox.end(&mut child).await?;
    let killed = group.is_some_and(|group| group.has_killed());
    let ending = if killed {
        Ending::Memory(memory)
    } else {
        ending
    };
    let (output, error) =
        timeout(AT_ONCE, async { tokio::join!(output.text(), error.text()) }).await?;
    Ok(RunResult::of(
        ending_of_both(ending, filled.try_recv().is_ok(), most),
        output,
        error,
    ))
}

/// Returns the reason for the end. A program may have written too much but ended before that was noticed.
fn ending_of_both(ending: Ending, full: bool, most: usize) -> Ending {
    match ending {
        Ending::Done | Ending::Code(_) | Ending::Signal(_) if full => Ending::Output(most),
        other => other,
    }
}

/// Creates a pipe whose receiver can be awaited without a thread.
fn pipe() -> io::Result<(OwnedFd, pipe::Receiver)> {
    let (sender, receiver) = pipe::pipe()?;
    Ok((sender.into_blocking_fd()?, receiver))
}

/// Converts bubblewrap's exit status. Like a shell, bubblewrap exits with the program's code, or with 128 plus the
/// signal.
fn ending(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(0), _) => Ending::Done,
        (Some(code @ 129..=192), _) => Ending::Signal(code - 128),
        (Some(code), _) => Ending::Code(code),
        (None, signal) => Ending::Signal(signal.unwrap_or_default()),
    }
}

/// A sandbox that bubblewrap was asked to create.
struct Sandbox {
    /// The first process, which is the ancestor of all others. `None` if the sandbox was never created.
    first: Option<(Pid, OwnedFd)>,
    /// The pipe for bubblewrap's reports. It stays open, because bubblewrap also reports the end and that write must
    /// not fail.
    _told: BufReader<pipe::Receiver>,
}

impl Sandbox {
    /// Waits until bubblewrap reports the pid of the first process: `{ "child-pid": 1234 }`.
    async fn of(told: pipe::Receiver) -> Self {
        let mut told = BufReader::new(told);
        let mut line = String::new();
        let read = timeout(AT_ONCE, told.read_line(&mut line)).await;
        let first = if matches!(read, Ok(Ok(_))) {
            Self::first(&line)
        } else {
            None
        };
        Self { first, _told: told }
    }

    fn first(line: &str) -> Option<(Pid, OwnedFd)> {
        let told: serde_json::Value = serde_json::from_str(line).ok()?;
        let pid = Pid::from_raw(i32::try_from(told["child-pid"].as_i64()?).ok()?)?;
        Some((pid, pidfd_open(pid, PidfdFlags::empty()).ok()?))
    }

    /// Moves the sandbox into a control group before the program starts.
    fn enters(&self, group: &Group) -> bool {
        let first = self.first.as_ref();
        first.is_some_and(|(pid, _)| group.enter(*pid).is_ok())
    }

    async fn beyond(&self, memory: u64, counted: bool) {
        match &self.first {
            Some((pid, _)) => usage::beyond(pid.as_raw_nonzero().get(), memory, counted).await,
            None => std::future::pending().await,
        }
    }

    /// Ends every process of the sandbox. Bubblewrap exits after the last process.
    async fn end(self, bubblewrap: &mut Child) -> io::Result<()> {
        let Some((_, handle)) = self.first else {
            return bubblewrap.kill().await;
        };
        let _ = pidfd_send_signal(&handle, Signal::KILL); // fails if it has already ended
        if timeout(AT_ONCE, bubblewrap.wait()).await.is_err() {
            bubblewrap.kill().await?;
            return Err(io::Error::other("a process of the program did not end"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bubblewrap_tells_is_what_the_program_did() {
        let code = |code: i32| ending(ExitStatus::from_raw(code << 8));
        assert_eq!(code(0), Ending::Done);
        assert_eq!(code(3), Ending::Code(3));
        assert_eq!(code(139), Ending::Signal(11));
        assert_eq!(code(255), Ending::Code(255));
        assert_eq!(ending(ExitStatus::from_raw(9)), Ending::Signal(9));
    }

    #[test]
    fn who_wrote_too_much_and_ended_first_wrote_too_much() {
        assert_eq!(ending_of_both(Ending::Done, true, 5), Ending::Output(5));
        assert_eq!(ending_of_both(Ending::Code(1), false, 5), Ending::Code(1));
        assert_eq!(ending_of_both(Ending::Time(5), true, 5), Ending::Time(5));
    }
}
