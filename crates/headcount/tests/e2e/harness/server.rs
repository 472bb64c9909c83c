use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// A server in a separate process, killed by its process id when dropped.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    port: u16,
    /// Kept open, so that the server's further output does not fail.
    _stdout: BufReader<ChildStdout>,
}

impl Server {
    /// Starts the built-in bridge on a free port.
    pub(crate) fn bridge(flags: &[&str]) -> Self {
        Self::built_in("bridge", flags)
    }

    /// Starts the built-in editor on a free port.
    pub(crate) fn editor(flags: &[&str]) -> Self {
        Self::built_in("editor", flags)
    }

    /// Starts the built-in marketplace on a free port.
    pub(crate) fn marketplace(flags: &[&str]) -> Self {
        Self::built_in("marketplace", flags)
    }

    /// Starts the built-in registry on a free port.
    pub(crate) fn registry(flags: &[&str]) -> Self {
        Self::built_in("registry", flags)
    }

    /// Starts the transcription service on a free port.
    pub(crate) fn transcription(flags: &[&str]) -> Self {
        Self::built_in("transcription", flags)
    }

    /// Starts the faulty server, which misbehaves as configured, on a free port.
    pub(crate) fn faulty() -> Self {
        Self::built_in("faulty", &[])
    }

    fn built_in(system: &str, flags: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_headcount"));
        command
            .args(["serve", system, "--listen", "127.0.0.1:0"])
            .args(["--log", "warn"])
            .args(flags);
        Self::start(command)
    }

    /// Starts the truth server on a free port.
    pub(crate) fn truth(flags: &[&str]) -> Self {
        Self::truth_on(0, flags)
    }

    /// Starts the truth server on a port that another server has just released.
    pub(crate) fn truth_at(port: u16) -> Self {
        Self::truth_on(port, &[])
    }

    fn truth_on(port: u16, flags: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_headcount"));
        command
            .args(["serve", "truth", "--listen"])
            .arg(format!("127.0.0.1:{port}"))
            .args(flags);
        Self::start(command)
    }

    /// Pins all of its threads to one core.
    pub(crate) fn pin(&self, core: usize) {
        let mut one = rustix::thread::CpuSet::new();
        one.set(core);
        for task in std::fs::read_dir(format!("/proc/{}/task", self.pid())).unwrap() {
            let name = task.unwrap().file_name();
            let tid = name.to_str().unwrap().parse().unwrap();
            rustix::thread::sched_setaffinity(rustix::process::Pid::from_raw(tid), &one).unwrap();
        }
    }

    /// Starts a server whose first line of output ends with its port.
    pub(crate) fn start(mut command: Command) -> Self {
        let name = format!("{command:?}");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|why| panic!("cannot start {name}: {why}"));
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let port = line
            .trim()
            .rsplit(':')
            .next()
            .and_then(|port| port.parse().ok());
        let port = port.unwrap_or_else(|| {
            let _ = child.kill();
            panic!("{name} printed {line:?} instead of its port: run it by hand to see why")
        });
        Self {
            child,
            port,
            _stdout: stdout,
        }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills the server at once, without a graceful stop.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Returns the folder of the third-party servers.
    pub(crate) fn folder() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../e2e"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended already
        let _ = self.child.wait();
    }
}
