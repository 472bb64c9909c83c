//! A process and its descendants over many looks: what each thread and each process used in all, and in every step.
//!
//! What is kept grows with the number of looks and of busy threads, never with what the process did.

use std::collections::HashMap;

use model::Nanos;

use super::sample::{ProcessSample, Sample};
use super::usage::{ThreadUse, Use, memory, percent, use_between};

/// Threads of one step whose share is kept. More than are ever shown, so that those busiest over all are among them.
const KEPT_PER_STEP: usize = 64;
/// Ended threads that are kept in all, the busiest: a thread for each request must not fill the memory.
const KEPT_ENDED: usize = 1024;
/// Below this a thread idled in a step.
const IDLE_PERCENT: f64 = 0.05;

type Key = (i32, u64);

/// The course of time, look by look.
#[derive(Debug, Default)]
pub struct Course {
    /// The first and the last look at each life of the process: it may be started again.
    lives: Vec<(Sample, Sample)>,
    looks: Vec<Look>,
    steps: Vec<Step>,
    threads: HashMap<Key, Total>,
    processes: HashMap<Key, Nanos>,
}

/// What the processes had at one look, all together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// When.
    pub at: Nanos,
    /// Resident memory in bytes. Pages that processes share count in each.
    pub memory: u64,
    /// Threads.
    pub threads: usize,
    /// Open descriptors; `None` where they may not be seen.
    pub descriptors: Option<u64>,
}

/// What was used between two looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// When it ended.
    pub at: Nanos,
    /// How long it took.
    pub over: Nanos,
    /// CPU of all processes; 100 is one whole core.
    pub cpu_percent: f64,
    /// The share of its busiest thread.
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

/// What a thread used over all steps.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadCourse {
    /// Its process.
    pub pid: i32,
    /// Its thread id.
    pub tid: i32,
    /// Its name, at most 15 bytes.
    pub name: String,
    /// Time on a CPU; 100 is all of the time.
    pub percent: f64,
    /// Time ready to run without getting a CPU; `None` where the kernel does not say.
    pub waiting_percent: Option<f64>,
    /// `percent` step by step; `None` where it did not run, or not among the busiest 64 of that step.
    pub steps: Vec<Option<f64>>,
}

/// What a process used over all steps, and what it had at the last look.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessCourse {
    /// Its process id.
    pub pid: i32,
    /// Its parent's.
    pub parent: i32,
    /// Its name, at most 15 bytes.
    pub name: String,
    /// CPU of all its threads; 100 is one whole core.
    pub percent: f64,
    /// Resident memory in bytes.
    pub memory: u64,
    /// Threads.
    pub threads: usize,
    /// Open descriptors; `None` where they may not be seen.
    pub descriptors: Option<u64>,
}

impl Course {
    /// Adds a look, later than those before.
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
            // Pools name their threads after starting them.
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

    /// What the processes had, look by look.
    pub fn looks(&self) -> &[Look] {
        &self.looks
    }

    /// What was used, step by step; one fewer than the looks, and one fewer for each new life.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The last look.
    pub fn last(&self) -> Option<&Sample> {
        self.lives.last().map(|(_, last)| last)
    }

    /// Whether the process was started again in between.
    pub fn restarted(&self) -> bool {
        self.lives.len() > 1
    }

    /// Time between the looks: the time that everything here is a share of.
    pub fn over(&self) -> Nanos {
        self.steps
            .iter()
            .fold(Nanos::ZERO, |sum, step| sum + step.over)
    }

    /// What was used from the first look to the last of the last life.
    pub fn last_life(&self) -> Option<Use> {
        let (first, last) = self.lives.last()?;
        use_between(first, last)
    }

    /// CPU of all processes over all steps; 100 is one whole core. `None` with fewer than two looks.
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

    /// The threads that used most CPU, the busiest first, ended ones included.
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

    /// How many threads ran, or were ready to run and got no CPU, for more than this share of all the time.
    pub fn threads_busier_than(&self, percent: f64) -> usize {
        let limit = percent * self.over().as_secs_f64();
        let wanted = |total: &&Total| total.ran + total.waited.unwrap_or(0.0) > limit;
        self.threads.values().filter(wanted).count()
    }

    /// The processes of the last look, parents before children; none without a step.
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
