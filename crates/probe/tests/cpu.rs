//! CPU figures, compared with clocks that the kernel keeps independently of `/proc`. Where possible, shares refer to a
//! thread's own CPU time, so that a busy machine does not affect them.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test ends where its premises do"
)]

use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;

use model::Nanos;
use probe::{OwnThread, Sampler, Use, use_between};
use rustix::time::{ClockId, Timespec, clock_gettime};

/// The scheduler's figures for a running thread may be one tick old. A tick takes up to 10 ms.
const STALE: f64 = 0.010;
const BURN: f64 = 0.4;

fn seconds(time: Timespec) -> f64 {
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// CPU time of this thread, according to the thread's CPU clock.
fn own_clock() -> f64 {
    seconds(clock_gettime(ClockId::ThreadCPUTime))
}

fn burn(cpu_seconds: f64) {
    let end = own_clock() + cpu_seconds;
    while own_clock() < end {
        black_box((0..1000_u64).sum::<u64>());
    }
}

fn own_sampler() -> Sampler {
    Sampler::new(i32::try_from(std::process::id()).unwrap()).unwrap()
}

fn named(name: &str, work: impl FnOnce() + Send + 'static) -> thread::JoinHandle<()> {
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .unwrap()
}

fn percent_of(used: &Use, name: &str) -> f64 {
    let thread = used.threads.iter().find(|thread| thread.name == name);
    thread
        .unwrap_or_else(|| panic!("no {name} in {used:?}"))
        .percent
}

#[test]
fn a_burning_thread_is_seen_by_name_with_all_it_used() {
    let burner = named("burner", || {
        let mut sampler = own_sampler();
        let begin = own_clock();
        let before = sampler.sample(Nanos::from_secs_f64(begin)).unwrap();
        burn(BURN);
        let end = own_clock();
        let after = sampler.sample(Nanos::from_secs_f64(end)).unwrap();
        let used = use_between(&before, &after).unwrap();
        let seen = percent_of(&used, "burner") / 100.0 * (end - begin);
        // Some CPU time passes between reading the clock and taking a sample.
        assert!(
            (seen - (end - begin)).abs() < 2.0 * STALE,
            "{seen} s of {} s",
            end - begin
        );
        assert!(
            used.cpu_percent > 90.0,
            "the process used no less: {used:?}"
        );
    });
    burner.join().unwrap();
}

#[test]
fn a_sleeping_thread_uses_nothing() {
    let (wake, sleep) = mpsc::channel::<()>();
    let (awake, started) = mpsc::channel::<()>();
    let sleeper = named("sleeper", move || {
        awake.send(()).unwrap();
        let _ = sleep.recv();
    });
    started.recv().unwrap();
    let mut sampler = own_sampler();
    let before = sampler.sample(Nanos::from_secs_f64(own_clock())).unwrap();
    burn(0.1);
    let after = sampler.sample(Nanos::from_secs_f64(own_clock())).unwrap();
    drop(wake);
    sleeper.join().unwrap();
    let percent = percent_of(&use_between(&before, &after).unwrap(), "sleeper");
    assert!(percent < 1.0, "{percent} %");
}

#[test]
fn our_own_threads_know_what_they_ran() {
    let thread = OwnThread::current().unwrap();
    let (begin, before) = (own_clock(), thread.read().unwrap());
    burn(BURN);
    let (end, after) = (own_clock(), thread.read().unwrap());
    let ran = after.since(before).ran.as_secs_f64();
    assert!(
        (ran - (end - begin)).abs() < 2.0 * STALE,
        "{ran} s of {} s",
        end - begin
    );
}

#[test]
fn waiting_for_a_cpu_is_counted() {
    // More busy threads than cores, so some must wait. A thread that never sleeps either runs or waits, so both times
    // add up to the wall-clock time.
    let threads = 2 * thread::available_parallelism().unwrap().get();
    let wall = || seconds(clock_gettime(ClockId::Monotonic));
    let workers: Vec<_> = (0..threads)
        .map(|_| {
            thread::spawn(move || {
                let thread = OwnThread::current().unwrap();
                let (begin, before) = (wall(), thread.read().unwrap());
                burn(0.2);
                let used = thread.read().unwrap().since(before);
                let accounted = (used.ran + used.waited).as_secs_f64();
                (accounted, wall() - begin, used.waited)
            })
        })
        .collect();
    let results: Vec<_> = workers
        .into_iter()
        .map(|worker| worker.join().unwrap())
        .collect();
    for (accounted, passed, _) in &results {
        // Time stolen from a virtual machine is in neither figure, so the lower bound is weak.
        assert!(
            *accounted < passed + 2.0 * STALE,
            "{accounted} s of {passed} s"
        );
        assert!(*accounted > passed * 0.5, "{accounted} s of {passed} s");
    }
    assert!(
        results
            .iter()
            .any(|(_, _, waited)| *waited > Nanos::from_millis(20)),
        "{results:?}"
    );
}

#[test]
fn an_ended_thread_says_so() {
    let thread = thread::spawn(|| OwnThread::current().unwrap());
    let ended = thread.join().unwrap();
    // The kernel removes a thread shortly after it was joined.
    let gone = (0..10_000).any(|_| {
        thread::yield_now();
        ended.read().is_err()
    });
    assert!(gone);
}

/// A shell that uses CPU on request and reports its own usage. `go` uses CPU, any other word ends the shell.
struct Burner {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Burner {
    /// `wrapped` runs the busy shell as a child of another shell.
    fn start(wrapped: bool) -> Self {
        const BURN: &str = "echo ready; while read -r word; do case $word in go) i=0; \
            while [ $i -lt 300000 ]; do i=$((i+1)); done; times;; *) exit;; esac; done";
        let mut command = Command::new("sh");
        if wrapped {
            // The second command keeps the outer shell from replacing itself with the inner one.
            command.args(["-c", "sh -c \"$0\"; exit 0", BURN]);
        } else {
            command.args(["-c", BURN]);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let answers = BufReader::new(child.stdout.take().unwrap());
        let mut burner = Self { child, answers };
        assert_eq!(burner.line(), "ready");
        burner
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Uses CPU, and returns the shell's own total in seconds.
    fn burn(&mut self) -> f64 {
        writeln!(self.child.stdin.as_ref().unwrap(), "go").unwrap();
        let own = self.line();
        let _children = self.line();
        own.split_whitespace().map(minutes_and_seconds).sum()
    }
}

impl Drop for Burner {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// `0m1.250000s`
fn minutes_and_seconds(text: &str) -> f64 {
    let (minutes, seconds) = text.trim_end_matches('s').split_once('m').unwrap();
    minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
}

fn check_child(wrapped: bool) {
    let mut burner = Burner::start(wrapped);
    let mut sampler = Sampler::new(i32::try_from(burner.child.id()).unwrap()).unwrap();
    let before = sampler.sample(Nanos::ZERO).unwrap();
    let truth = burner.burn();
    let after = sampler.sample(Nanos::from_secs(1)).unwrap();
    let used = use_between(&before, &after).unwrap();
    let seen = used.cpu_percent / 100.0;
    // The shell counts from its start, and may round each of its two figures to 10 ms.
    assert!(
        (seen - truth).abs() < 0.05,
        "{seen} s, the child says {truth} s"
    );
    assert!(
        truth > 0.05,
        "too little burnt to prove anything: {truth} s"
    );
    assert_eq!(used.processes.len(), if wrapped { 2 } else { 1 });
    assert_eq!(used.busiest_thread.unwrap().name, "sh");
}

#[test]
fn a_childs_cpu_is_what_it_says_itself() {
    check_child(false);
}

#[test]
fn descendants_are_followed() {
    check_child(true);
}
