//! Addresses that cannot be opened are refused, and the second Ctrl-C ends the program in any state.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, SystemTime};

use rustix::process::{Pid, Resource, Signal, getrlimit, kill_process};

use crate::harness::{Lab, Program, Raw, issue};

/// Far less than the operations in flight would take, and far more than a busy machine needs.
const SOON: Duration = Duration::from_secs(15);

/// A run whose stderr is read while it runs.
pub(crate) struct Hurried {
    child: Child,
    said: BufReader<std::process::ChildStderr>,
}

impl Hurried {
    pub(crate) fn start(lab: &Lab, args: &[&str]) -> Self {
        Self::start_with(lab, args, &[])
    }

    /// Starts the run with these environment variables.
    pub(crate) fn start_with(lab: &Lab, args: &[&str], env: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_headcount"));
        command
            .args(args)
            .envs(env.iter().copied())
            .current_dir(lab.path(""))
            .process_group(0);
        let mut child = command
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let said = BufReader::new(child.stderr.take().unwrap());
        Self { child, said }
    }

    pub(crate) fn until(&mut self, words: &str) {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert!(
                self.said.read_line(&mut line).unwrap() > 0,
                "{words:?} was not said"
            );
        }
    }

    pub(crate) fn interrupt(&self) {
        self.send(Signal::INT);
    }

    pub(crate) fn send(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Waits for the end, and returns the exit code.
    pub(crate) fn end(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Sends Ctrl-C twice, the second time after the reaction to the first. Returns the exit code, and checks that the
    /// end comes soon.
    fn interrupt_twice(mut self) -> Option<i32> {
        self.interrupt();
        self.until("stopping: ");
        let began = SystemTime::now();
        self.interrupt();
        let code = self.child.wait().unwrap().code();
        let took = began.elapsed().unwrap_or_default();
        assert!(took < SOON, "it took {took:?}");
        code
    }
}

impl Drop for Hurried {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended
        let _ = self.child.wait();
    }
}

#[test]
fn more_connections_than_descriptors_are_refused() {
    let lab = Lab::new();
    let limited = |count: &str| {
        let binary = Path::new(env!("CARGO_BIN_EXE_headcount"));
        let text = format!(
            "ulimit -n 200; exec {} bench http://127.0.0.1:1/ -n 1 -c {count}",
            binary.display()
        );
        let mut command = Command::new("bash");
        command.args(["-c", &text]).current_dir(lab.path(""));
        Program::start(command).end()
    };
    limited("1000000").refused(
        2,
        &["--connections 1000000", "200 files", "136 connections"],
    );
    limited("136").refused(4, &["cannot reach"]);
}

#[test]
fn the_second_ctrl_c_ends_a_script_that_never_pauses_in_its_setup() {
    let text = r#"
export const options = { load: { users: 1, once: true }, script: { time: "10m" } };
export function setup() { console.log("here"); for (;;) {} }
export default async function go() {}
"#;
    let listening = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = format!("http://{}", listening.local_addr().unwrap());
    let lab = Lab::new().with("go.ts", text);
    let mut run = Hurried::start(&lab, &["run", "go.ts", "--target", &target, "--out", "run"]);
    run.until("setting up");
    assert_eq!(run.interrupt_twice(), Some(130));
}

#[test]
fn the_second_ctrl_c_ends_a_script_that_never_pauses_in_a_level() {
    let text = r#"
export const options = { load: { users: 1, duration: "10m" }, script: { time: "10m" } };
export default async function go({ users: [user] }) { await user.get("/x"); for (;;) {} }
"#;
    let (tell, told) = channel();
    let server = Raw::start(move |stream| {
        let mut writer = stream.try_clone().unwrap();
        let mut reader = BufReader::new(stream);
        while crate::harness::read_request(&mut reader).is_some() {
            let _ = writer.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            let _ = tell.send(());
        }
    });
    let lab = Lab::new().with("go.ts", text);
    let url = server.url();
    let run = Hurried::start(&lab, &["run", "go.ts", "--target", &url, "--out", "run"]);
    told.recv().unwrap();
    assert_eq!(run.interrupt_twice(), Some(130));
}

#[test]
fn the_second_ctrl_c_ends_what_opens_a_crowd_of_connections() {
    let (tell, told) = channel();
    let server = Raw::start(move |stream| {
        let _ = tell.send(());
        std::mem::forget(stream); // keeps it open and silent for the whole test
    });
    let lab = Lab::new();
    let url = server.url();
    let allowed = getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX);
    let crowd = (allowed - 100).min(20_000).to_string();
    let args = ["bench", &url, "-c", &crowd, "-n", "1000000", "--out", "run"];
    let run = Hurried::start(&lab, &args);
    told.iter().take(100).for_each(drop);
    assert_eq!(run.interrupt_twice(), Some(130));
}

/// Ten requests, a pause of 2.5 seconds, and then a call into the engine that nothing can interrupt.
const STUCK: &str = r#"
export const options = { load: { users: 1, duration: "10m" }, script: { time: "1ms" } };
export default async function go({ users: [user], think }) {
  for (let n = 0; n < 10; n++) await user.get("/x");
  await think("2500ms");
  await user.get("/last");
  new Array(2 ** 32 - 1).join("xx");
}
"#;

/// Responds to every request, and notifies the test of `/last`.
fn answers(tell: std::sync::mpsc::Sender<()>) -> Raw {
    Raw::start(move |stream| {
        let mut writer = stream.try_clone().unwrap();
        let mut reader = BufReader::new(stream);
        while let Some((head, _)) = crate::harness::read_request(&mut reader) {
            let _ = writer.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            if head.starts_with("GET /last") {
                let _ = tell.send(());
            }
        }
    })
}

fn assert_saved(lab: &Lab) {
    let level = &lab.record()["levels"][0];
    assert_eq!(
        level["measured"]["requests"]["GET /x"]["count"], 10,
        "{level:#}"
    );
    assert_eq!(issue(level, "worker_lost")["severity"], "invalid");
}

#[test]
fn the_second_ctrl_c_saves_what_a_worker_measured_that_is_stuck() {
    let (tell, told) = channel();
    let server = answers(tell);
    let lab = Lab::new().with("go.ts", STUCK);
    let url = server.url();
    let run = Hurried::start(&lab, &["run", "go.ts", "--target", &url, "--out", "run"]);
    told.recv().unwrap();
    assert_eq!(run.interrupt_twice(), Some(130));
    assert_saved(&lab);
}

#[test]
fn a_call_of_the_script_that_never_returns_ends_the_run() {
    let (tell, _told) = channel();
    let server = answers(tell);
    let lab = Lab::new().with("go.ts", STUCK);
    let ended = lab.run("go.ts", &server.url(), &[]);
    ended.refused(3, &["a call in the script has not returned for 10"]);
    assert_saved(&lab);
}
