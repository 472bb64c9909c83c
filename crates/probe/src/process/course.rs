//! A process and its descendants over many samples: the usage of each thread and process, in total and per step.
//!
//! Memory use grows with the number of samples and of busy threads, not with the activity of the process.

use std::collections::HashMap;

use model::Nanos;

use super::sample::{ProcessSample, Sample};
use super::usage::{ThreadUse, Use, memory, percent, use_between};

/// Maximum number of threads whose share is stored per step. This is more than reports show, so that the threads that
/// are busiest overall are among them.
const KEPT_PER_STEP: usize = 64;
/// Maximum number of ended threads that are stored; the busiest remain. Otherwise a target that starts a thread per
/// request would fill the memory.
const KEPT_ENDED: usize = 1024;
/// Below this CPU usage a thread counts as idle in a step.
const IDLE_PERCENT: f64 = 0.05;

type Key = (i32, u64);

/// A time series of samples.
#[derive(Debug, Default)]
pub struct Course {
    /// The first and the last sample of each life of the process. A restart begins a new life.
    lives: Vec<(Sample, Sample)>,
    looks: Vec<Look>,
    steps: Vec<Step>,
    threads: HashMap<Key, Total>,
    processes: HashMap<Key, Nanos>,
}

/// The totals of all processes in one sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Time of the sample.
    pub at: Nanos,
    /// Resident memory, in bytes. Shared pages count in each process.
    pub memory: u64,
    /// Number of threads.
    pub threads: usize,
    /// Number of open descriptors. `None` if they are not visible.
    pub descriptors: Option<u64>,
}

/// The usage between two samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Time of the second sample.
    pub at: Nanos,
    /// Time between the samples.
    pub over: Nanos,
    /// CPU usage of all processes. 100 is one core.
    pub cpu_percent: f64,
    /// CPU usage of the busiest thread.
    pub busiest_percent: Option<f64>,
    busy: Vec<(Key, f64)>,
}

#[derive(Debug)]
struct Total {
    pid: i32,
    name: String,
    ran: f64,
    waited: Option<f64>,
    alive: bool,
}

/// The usage of a thread over all steps.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadCourse {
    /// The process id.
    pub pid: i32,
    /// The thread id.
    pub tid: i32,
    /// The name, at most 15 bytes.
    pub name: String,
    /// Time on a CPU. 100 is all of the time.
    pub percent: f64,
    /// Time ready to run without getting a CPU. `None` if the kernel does not provide it.
    pub waiting_percent: Option<f64>,
    /// `percent` per step. `None` if the thread was idle, or not among the busiest 64 of that step.
    pub steps: Vec<Option<f64>>,
}

/// The usage of a process over all steps, and its state in the last sample.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessCourse {
    /// The process id.
    pub pid: i32,
    /// The process id of its parent.
    pub parent: i32,
    /// The name, at most 15 bytes.
    pub name: String,
    /// CPU usage of all its threads. 100 is one core.
    pub percent: f64,
    /// Resident memory, in bytes.
    pub memory: u64,
    /// Number of threads.
    pub threads: usize,
    /// Number of open descriptors. `None` if they are not visible.
    pub descriptors: Option<u64>,
}

impl Course {
    /// Adds a sample, which must be later than the earlier ones.
    pub fn add(&mut self, sample: Sample) {
        let used = self
            .lives
            .last()
            .and_then(|(_, last)| use_between(last, &sample));
        self.looks.push(look(&sample));
        let at = sample.at;
        match (&used, self.lives.last_mut()) {
            (Some(_), Some((_, last))) => *last = sample,
            _ => self.lives.push((sample.clone(), sample)),
        }
        if let Some(used) = used {
            self.count(&used);
            self.steps.push(step(at, used));
        }
    }

    fn count(&mut self, used: &Use) {
        let over = used.over.as_secs_f64();
        for total in self.threads.values_mut() {
            total.alive = false;
        }
        for thread in &used.threads {
            let total = self.threads.entry(key(thread)).or_insert_with(|| Total {
                pid: thread.pid,
                name: String::new(),
                ran: 0.0,
                waited: Some(0.0),
                alive: true,
            });
            // Thread pools often name their threads after starting them.
            total.name.clone_from(&thread.name);
            total.alive = true;
            total.ran += thread.percent * over;
            total.waited = total
                .waited
                .zip(thread.waiting_percent)
                .map(|(sum, percent)| sum + percent * over);
        }
        self.forget_some();
        for process in &used.processes {
            let key = (process.pid, process.started);
            *self.processes.entry(key).or_default() += process.cpu;
        }
        let alive = |key: &Key| {
            let mut processes = used.processes.iter();
            processes.any(|process| (process.pid, process.started) == *key)
        };
        self.processes.retain(|key, _| alive(key));
    }

    /// If too many ended threads are stored, removes the least busy ones. Half of the limit remains, so that this is
    /// rarely necessary.
    fn forget_some(&mut self) {
        let mut ended: Vec<(Key, f64)> = self
            .threads
            .iter()
            .filter(|(_, total)| !total.alive)
            .map(|(key, total)| (*key, total.ran))
            .collect();
        if ended.len() > KEPT_ENDED {
            ended.sort_by(|a, b| b.1.total_cmp(&a.1));
            for (key, _) in ended.drain(KEPT_ENDED / 2..) {
                self.threads.remove(&key);
            }
        }
    }

    /// The ids of the threads that ran in the last step, the busiest first, at most 64.
    pub fn active_threads(&self) -> impl Iterator<Item = i32> {
        let busy = self.steps.last().into_iter().flat_map(|step| &step.busy);
        busy.map(|((tid, _), _)| *tid)
    }

    /// The totals of each sample.
    pub fn looks(&self) -> &[Look] {
        &self.looks
    }

    /// The usage in each step. There is one fewer step than there are samples, and each restart removes one more.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The last sample.
    pub fn last(&self) -> Option<&Sample> {
        self.lives.last().map(|(_, last)| last)
    }

    /// Whether the process was restarted in between.
    pub fn restarted(&self) -> bool {
        self.lives.len() > 1
    }

    /// The total time of all steps. All shares refer to this time.
    pub fn over(&self) -> Nanos {
        self.steps
            .iter()
            .fold(Nanos::ZERO, |sum, step| sum + step.over)
    }

    /// The usage from the first to the last sample of the last life.
    pub fn last_life(&self) -> Option<Use> {
        let (first, last) = self.lives.last()?;
        use_between(first, last)
    }

    /// CPU usage of all processes over all steps. 100 is one core. `None` with fewer than two samples.
    pub fn cpu_percent(&self) -> Option<f64> {
        let used = self.lives.iter().filter_map(|(first, last)| {
            let used = use_between(first, last)?;
            Some((used.cpu_percent * used.over.as_secs_f64(), used.over))
        });
        let (share, over) = used.fold((0.0, Nanos::ZERO), |sum, one| {
            (sum.0 + one.0, sum.1 + one.1)
        });
        (over > Nanos::ZERO).then(|| share / over.as_secs_f64())
    }

    /// The `most` threads that used the most CPU, the busiest first, including ended ones.
    pub fn busiest_threads(&self, most: usize) -> Vec<ThreadCourse> {
        let mut threads: Vec<(&Key, &Total)> = self.threads.iter().collect();
        threads.sort_by(|a, b| b.1.ran.total_cmp(&a.1.ran).then(a.0.cmp(b.0)));
        threads.truncate(most);
        let over = self.over().as_secs_f64();
        let course = |(key, total): (&Key, &Total)| ThreadCourse {
            pid: total.pid,
            tid: key.0,
            name: total.name.clone(),
            percent: total.ran / over,
            waiting_percent: total.waited.map(|waited| waited / over),
            steps: self.steps.iter().map(|step| step.of(*key)).collect(),
        };
        threads.into_iter().map(course).collect()
    }

    /// Number of threads that ran, or were ready to run without a CPU, for more than this share of the total time.
    pub fn threads_busier_than(&self, percent: f64) -> usize {
        let limit = percent * self.over().as_secs_f64();
        let wanted = |total: &&Total| total.ran + total.waited.unwrap_or(0.0) > limit;
        self.threads.values().filter(wanted).count()
    }

    /// The processes of the last sample, parents before children. Empty without a step.
    pub fn processes(&self) -> Vec<ProcessCourse> {
        let over = self.over();
        if over == Nanos::ZERO {
            return Vec::new();
        }
        let last = self.last().into_iter().flat_map(|last| &last.processes);
        let course = |process: &ProcessSample| ProcessCourse {
            pid: process.pid,
            parent: process.parent,
            name: process.name.clone(),
            percent: self
                .processes
                .get(&(process.pid, process.started))
                .map_or(0.0, |cpu| percent(*cpu, over)),
            memory: process.memory,
            threads: process.threads.len(),
            descriptors: process.descriptors,
        };
        last.map(course).collect()
    }
}

impl Step {
    fn of(&self, wanted: Key) -> Option<f64> {
        let mut busy = self.busy.iter();
        busy.find(|(key, _)| *key == wanted)
            .map(|(_, percent)| *percent)
    }
}

fn look(sample: &Sample) -> Look {
    Look {
        at: sample.at,
        memory: memory(sample),
        threads: sample
            .processes
            .iter()
            .map(|process| process.threads.len())
            .sum(),
        descriptors: sample
            .processes
            .iter()
            .map(|process| process.descriptors)
            .sum(),
    }
}

fn step(at: Nanos, used: Use) -> Step {
    let busy = used.threads.iter().take(KEPT_PER_STEP);
    Step {
        at,
        over: used.over,
        cpu_percent: used.cpu_percent,
        busiest_percent: used.busiest_thread.map(|thread| thread.percent),
        busy: busy
            .filter(|thread| thread.percent >= IDLE_PERCENT)
            .map(|thread| (key(thread), thread.percent))
            .collect(),
    }
}

fn key(thread: &ThreadUse) -> Key {
    (thread.tid, thread.started)
}
