//! The usage of a process over several samples, compared with the known activity of the test's own threads.

#![expect(clippy::unwrap_used, reason = "a test ends where its premises do")]

use std::hint::black_box;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use model::Nanos;
use probe::{Course, Sampler, allowed_cores, own_cores, runtime_of, started_at};
use rustix::time::{ClockId, clock_gettime};

fn own_pid() -> i32 {
    i32::try_from(std::process::id()).unwrap()
}

fn clock(which: ClockId) -> Nanos {
    let time = clock_gettime(which);
    Nanos(
        u64::try_from(time.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap(),
    )
}

fn now() -> Nanos {
    clock(ClockId::Monotonic)
}

fn burn_until(done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        black_box((0..1000_u64).sum::<u64>());
    }
}

fn pool(name: &str, threads: usize, done: &Arc<AtomicBool>) -> Vec<JoinHandle<()>> {
    let start = |number| {
        let done = Arc::clone(done);
        let name = format!("{name}-{number}");
        thread::Builder::new()
            .name(name)
            .spawn(move || burn_until(&done))
            .unwrap()
    };
    (0..threads).map(start).collect()
}

/// Uses CPU in this thread for a span of wall-clock time.
fn burn(span: Nanos) {
    let end = now() + span;
    while now() < end {
        black_box((0..1000_u64).sum::<u64>());
    }
}

#[test]
fn a_pool_of_four_busy_threads_is_seen_as_four_on_any_number_of_cores() {
    let done = Arc::new(AtomicBool::new(false));
    let threads = pool("busy", 4, &done);
    let mut sampler = Sampler::new(own_pid()).unwrap();
    let mut course = Course::default();
    for _ in 0..4 {
        course.add(sampler.sample(now()).unwrap());
        burn(Nanos::from_millis(200));
    }
    done.store(true, Ordering::Relaxed);
    for thread in threads {
        thread.join().unwrap();
    }
    let busiest = course.busiest_threads(16);
    let pool: Vec<_> = busiest
        .iter()
        .filter(|thread| thread.name.starts_with("busy-"))
        .collect();
    assert_eq!(pool.len(), 4, "{busiest:?}");
    for thread in &pool {
        // Except for up to one clock tick, each thread always ran or waited for a CPU.
        let wanted = thread.percent + thread.waiting_percent.unwrap();
        assert!(wanted > 85.0, "{thread:?}");
        assert_eq!(thread.steps.len(), 3, "one for each step");
    }
    assert!(course.threads_busier_than(80.0) >= 4);
    assert_eq!((course.looks().len(), course.steps().len()), (4, 3));
    let of_threads: f64 = busiest.iter().map(|thread| thread.percent).sum();
    let cpu = course.cpu_percent().unwrap();
    assert!(cpu > of_threads - 10.0, "{cpu} % in all, {of_threads} %");
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn children_are_listed_with_their_parent() {
    // `sleep` in a shell that waits for it is a grandchild of this process.
    let shell = Command::new("sh")
        .args(["-c", "sleep 60; true"])
        .stdin(Stdio::null())
        .spawn()
        .map(Killed)
        .unwrap();
    let pid = i32::try_from(shell.0.id()).unwrap();
    let mut sampler = Sampler::new(pid).unwrap();
    let mut tries = 0..1_000;
    let first = loop {
        let sample = sampler.sample(now()).unwrap();
        // Directly after its start, `sleep` has its name but no memory yet.
        let child = sample.processes.get(1);
        if child.is_some_and(|child| child.name == "sleep" && child.memory > 0) {
            break sample;
        }
        tries.next().unwrap();
        thread::sleep(Duration::from_millis(5));
    };
    let mut course = Course::default();
    let later = first.at + Nanos::from_secs(1);
    course.add(first);
    course.add(sampler.sample(later).unwrap());
    let processes = course.processes();
    assert_eq!(processes.len(), 2, "{processes:?}");
    assert_eq!((processes[0].pid, processes[1].parent), (pid, pid));
    assert_eq!(processes[1].name, "sleep");
    assert!(processes.iter().all(|process| process.memory > 0));
    // Killing the shell would leave its child `sleep` running, so the test ends it here.
    let child = rustix::process::Pid::from_raw(processes[1].pid).unwrap();
    rustix::process::kill_process(child, rustix::process::Signal::KILL).unwrap();
}

#[test]
fn cores_are_those_that_the_threads_may_run_on() {
    let mut sampler = Sampler::new(own_pid()).unwrap();
    let ours = own_cores();
    assert!(!ours.is_empty());
    let all = allowed_cores(&sampler.sample(now()).unwrap());
    assert!(
        ours.iter().all(|core| all.contains(core)),
        "{ours:?} {all:?}"
    );
    let shell = Command::new("sleep").arg("60").spawn().map(Killed).unwrap();
    let pid = i32::try_from(shell.0.id()).unwrap();
    let mut one = rustix::thread::CpuSet::new();
    one.set(ours[0]);
    let raw = rustix::process::Pid::from_raw(pid);
    rustix::thread::sched_setaffinity(raw, &one).unwrap();
    let sample = Sampler::new(pid).unwrap().sample(now()).unwrap();
    assert_eq!(allowed_cores(&sample), [ours[0]]);
}

#[test]
fn a_start_is_told_in_the_time_of_the_wall() {
    let shell = Command::new("sleep").arg("60").spawn().map(Killed).unwrap();
    let sample = Sampler::new(i32::try_from(shell.0.id()).unwrap())
        .unwrap()
        .sample(now())
        .unwrap();
    let wall = clock(ClockId::Realtime).as_secs_f64();
    let started = started_at(&sample.processes[0]).unwrap();
    assert!((wall - started).abs() < 3.0, "{started}, now {wall}");
}

#[test]
fn what_was_built_by_rust_is_known_and_what_is_not_known_is_not_guessed() {
    let own = runtime_of(own_pid()).unwrap();
    assert_eq!(own.name, "Rust");
    let shell = Command::new("sleep").arg("60").spawn().map(Killed).unwrap();
    let sleep = runtime_of(i32::try_from(shell.0.id()).unwrap());
    // On some systems, `sleep` is written in C, on others in Rust. No other result is possible.
    assert!(sleep.is_none_or(|runtime| runtime.name == "Rust"));
}
