//! A runner that is started on demand, and started again if it could not run any program.

use std::ffi::OsString;
use std::io;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::task::spawn_blocking;
use tokio::time::Instant;

use super::limits::Limits;
use super::runner::Runner;

/// Minimum time between two examinations of a machine that cannot run programs. If bubblewrap hangs, an examination
/// takes up to 20 s.
const AGAIN: Duration = Duration::from_secs(10);

/// The runner of a server, started on first use.
#[derive(Debug)]
pub struct OnDemand {
    limits: Limits,
    path: OsString,
    again: Duration,
    last: Mutex<Option<(Runner, Instant)>>,
}

impl OnDemand {
    /// Creates the runner without examining the machine.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self::in_path(limits, std::env::var_os("PATH").unwrap_or_default(), AGAIN)
    }

    /// Does the same as [`OnDemand::new`], but searches for bubblewrap in `path` (in the format of `PATH`), and repeats
    /// a failed examination after `again`.
    #[must_use]
    pub fn in_path(limits: Limits, path: OsString, again: Duration) -> Self {
        Self {
            limits,
            path,
            again,
            last: Mutex::new(None),
        }
    }

    /// Returns the runner. The first call examines the machine. If that fails, a later call examines it again.
    pub async fn runner(&self) -> io::Result<Runner> {
        let mut last = self.last.lock().await;
        if let Some((runner, since)) = &*last
            && (runner.available().is_ok() || since.elapsed() < self.again)
        {
            return Ok(runner.clone());
        }
        let (limits, path) = (self.limits.clone(), self.path.clone());
        let runner = spawn_blocking(move || Runner::start_in(limits, &path)).await?;
        *last = Some((runner.clone(), Instant::now()));
        Ok(runner)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A fake bubblewrap that prints the output of a working sandbox.
    const BUBBLEWRAP: &str = "#!/bin/sh\nprintf 'CapEff:\\t0000000000000000\\nNoNewPrivs:\\t1\\nSeccomp:\\t2\\n--\\nbash\\n'\n";

    /// Returns whether code can be run before bubblewrap is installed, when it is installed, and after it was removed.
    async fn course(again: Duration) -> [Result<(), String>; 3] {
        let folder = tempfile::tempdir().unwrap();
        let demand = OnDemand::in_path(Limits::default(), folder.path().into(), again);
        let available = async || demand.runner().await.unwrap().available();
        let before = available().await;
        let command = folder.path().join("bwrap");
        fs::write(&command, BUBBLEWRAP).unwrap();
        fs::set_permissions(&command, fs::Permissions::from_mode(0o755)).unwrap();
        let then = available().await;
        fs::remove_file(&command).unwrap();
        [before, then, available().await]
    }

    #[tokio::test]
    async fn a_machine_on_which_nothing_ran_is_looked_at_again_and_what_worked_is_kept() {
        let [before, then, kept] = course(Duration::ZERO).await;
        assert!(before.is_err());
        assert_eq!((then, kept), (Ok(()), Ok(())));
    }

    #[tokio::test]
    async fn it_is_not_looked_at_for_everybody_who_asks() {
        assert!(course(AGAIN).await.iter().all(Result::is_err));
    }
}
