//! However headcount ends, the systems and servers that it started end too.

use std::fs;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};

use crate::harness::Lab;
use crate::hurry::Hurried;
use crate::interrupt::until;

/// The state letter of a process, and the ID of its parent. `None` if the process has ended.
fn state_and_parent(pid: &str) -> Option<(String, i32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(") ")?;
    let mut fields = after_name.split(' ');
    let state = fields.next()?.to_owned();
    Some((state, fields.next()?.parse().ok()?))
}

/// The processes that `parent` started, with their command lines.
fn children(parent: Pid) -> Vec<(String, String)> {
    let all = fs::read_dir("/proc").unwrap();
    let pids = all.filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let own = pids.filter(|pid| {
        state_and_parent(pid).is_some_and(|(_, of)| of == parent.as_raw_nonzero().get())
    });
    own.filter_map(|pid| {
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
        Some((pid, line.replace('\0', " ")))
    })
    .collect()
}

pub(crate) fn has_ended(pid: &str) -> bool {
    state_and_parent(pid).is_none_or(|(state, _)| state == "Z")
}

/// Waits until `run` has started these programs. Returns their process IDs.
fn started(run: &Hurried, programs: &[&str]) -> Vec<String> {
    let found = || -> Option<Vec<String>> {
        let children = children(run.pid());
        let started = |program: &&str| {
            let runs = |line: &str| line.contains(program) && !line.contains("end-with-parent");
            let child = children.iter().find(|(_, line)| runs(line));
            child.map(|(pid, _)| pid.clone())
        };
        programs.iter().map(started).collect()
    };
    until("the processes", || found().is_some());
    found().unwrap()
}

fn pid_of(pid: &str) -> Pid {
    Pid::from_raw(pid.parse().unwrap()).unwrap()
}

fn all_end(pids: &[String]) {
    until("the end of the processes", || {
        pids.iter().all(|pid| has_ended(pid))
    });
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn the_third_ctrl_c_ends_the_servers_of_a_study_and_removes_their_folders() {
    let lab = Lab::new();
    let temporary = lab.path("tmp");
    fs::create_dir(&temporary).unwrap();
    let args = [
        "study",
        "registry",
        "--backend",
        "redis-nats",
        "--out",
        "study",
    ];
    let env = [("TMPDIR", temporary.to_str().unwrap())];
    let mut run = Hurried::start_with(&lab, &args, &env);
    run.until("part 1 of");
    let pids = started(&run, &["redis-server", "nats-server", "serve registry"]);
    assert!(!is_empty(&temporary));
    // The registry does not react to SIGTERM, so the study cannot end in order.
    kill_process(pid_of(&pids[2]), Signal::STOP).unwrap();
    run.interrupt();
    run.until("stopping: ");
    run.interrupt();
    run.until("stopping at once");
    run.interrupt();
    assert_eq!(run.end(), Some(130));
    all_end(&pids);
    assert!(is_empty(&temporary));
}

#[test]
fn a_ctrl_c_before_the_load_of_the_demo_ends_the_bridge() {
    let lab = Lab::new();
    let mut run = Hurried::start(&lab, &["demo", "--out", "demo"]);
    let pids = started(&run, &["serve bridge"]);
    run.interrupt();
    run.until("interrupted before anything was measured");
    assert_eq!(run.end(), Some(130));
    all_end(&pids);
}

#[test]
fn a_signal_that_headcount_cannot_handle_ends_its_systems_too() {
    // SIGQUIT would not do: a shell without job control starts its background programs, such as these tests, without it.
    for signal in [Signal::KILL, Signal::ABORT] {
        let lab = Lab::new();
        let run = Hurried::start(&lab, &["demo", "--out", "demo"]);
        let pids = started(&run, &["serve bridge"]);
        run.send(signal);
        assert_eq!(run.end(), None, "{signal:?}");
        all_end(&pids);
    }
}
