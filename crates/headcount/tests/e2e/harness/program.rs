use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Time limit for each run, longer than any takes on a busy machine. It only ends a program that hangs: the self-test of
/// findings took more than a minute on two busy cores.
const LIMIT: Duration = Duration::from_mins(4);
const LOOK: Duration = Duration::from_millis(5);

/// A running `headcount`, killed when dropped.
#[derive(Debug)]
pub(crate) struct Program {
    child: Child,
    stdout: Option<JoinHandle<String>>,
    stderr: Option<JoinHandle<String>>,
    /// What it has said on stderr so far.
    heard: Arc<Mutex<Vec<u8>>>,
    name: String,
}

/// The exit code and the whole output of a program that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Program {
    /// Starts the binary of this build.
    pub(crate) fn headcount(folder: &Path, args: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_headcount"));
        command.args(args).current_dir(folder);
        Self::start(command)
    }

    pub(crate) fn start(mut command: Command) -> Self {
        let name = format!("{command:?}");
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|why| panic!("cannot start {name}: {why}"));
        let heard = Arc::default();
        let stdout = child.stdout.take();
        let stdout = stdout.map(|stream| collect(stream, Arc::default()));
        let stderr = child.stderr.take();
        let stderr = stderr.map(|stream| collect(stream, Arc::clone(&heard)));
        Self {
            child,
            stdout,
            stderr,
            heard,
            name,
        }
    }

    /// What the program has said on stderr so far.
    pub(crate) fn heard(&self) -> String {
        let heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&heard).into_owned()
    }

    /// The process ID.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn interrupt(&self) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::INT).unwrap();
    }

    /// Returns the peak resident memory so far in bytes. `None` once the program has ended.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
        let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kilobytes << 10)
    }

    /// Waits for the program's end. Kills it and panics at the time limit.
    pub(crate) fn end(mut self) -> Ended {
        let began = SystemTime::now();
        let code = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.code();
            }
            if began.elapsed().unwrap_or_default() > LIMIT {
                self.child.kill().unwrap();
                let ended = self.said(None);
                panic!("{} did not end within {LIMIT:?}: {ended:#?}", self.name);
            }
            thread::sleep(LOOK);
        };
        let ended = self.said(code);
        assert!(
            !ended.stderr.contains("panicked at"),
            "{}: {}",
            self.name,
            ended.stderr
        );
        ended
    }

    fn said(&mut self, code: Option<i32>) -> Ended {
        let text = |stream: Option<JoinHandle<String>>| {
            stream.map_or(String::new(), |stream| stream.join().unwrap())
        };
        Ended {
            code,
            stdout: text(self.stdout.take()),
            stderr: text(self.stderr.take()),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

impl Ended {
    /// Parses the summary of a run with `--json` that was completed: it passed, the script or a threshold failed, or
    /// it was inconclusive because this machine is busy.
    pub(crate) fn summary(&self) -> Value {
        assert!(
            matches!(self.code, Some(0 | 3 | 98 | 99)),
            "exit code {:?}: {}",
            self.code,
            self.stderr
        );
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|why| panic!("no JSON ({why}): {}", self.stdout))
    }

    /// Asserts that it ended with this code, and that the output contains each of these texts.
    pub(crate) fn refused(&self, code: i32, said: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self.says(said);
    }

    /// Asserts that a threshold was broken. If the level is invalid because this machine was too slow, the run must
    /// be inconclusive instead.
    pub(crate) fn broke_a_threshold(&self, level: &Value) {
        let code = if is_invalid(level) { 98 } else { 99 };
        assert_eq!(self.code, Some(code), "{level:#} {self:#?}");
    }

    /// Asserts that stderr or stdout contains each of these texts.
    pub(crate) fn says(&self, said: &[&str]) {
        for words in said {
            let there = self.stderr.contains(words) || self.stdout.contains(words);
            assert!(there, "nobody said {words:?}: {self:#?}");
        }
    }
}

fn collect(
    mut stream: impl Read + Send + 'static,
    heard: Arc<Mutex<Vec<u8>>>,
) -> JoinHandle<String> {
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        // After an error, the output is what was read before.
        while let Ok(count @ 1..) = stream.read(&mut buffer) {
            let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
            heard.extend_from_slice(&buffer[..count]);
        }
        let heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&heard).into_owned()
    })
}

/// Whether a level, of a record or of a summary, says nothing about the target because this machine is busy.
pub(crate) fn is_invalid(level: &Value) -> bool {
    issues(level).any(|issue| issue["severity"] == "invalid")
}

/// Whether a level has an issue with this cause.
pub(crate) fn has_issue(level: &Value, cause: &str) -> bool {
    issues(level).any(|issue| issue["cause"] == cause)
}

/// The issue of a level with this cause.
pub(crate) fn issue<'a>(level: &'a Value, cause: &str) -> &'a Value {
    let found = issues(level).find(|issue| issue["cause"] == cause);
    found.unwrap_or_else(|| panic!("no {cause}: {level:#}"))
}

fn issues(level: &Value) -> impl Iterator<Item = &Value> {
    let issues = level["issues"].as_array();
    issues
        .unwrap_or_else(|| panic!("a level has issues: {level:#}"))
        .iter()
}
