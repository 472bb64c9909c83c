use std::net::SocketAddr;

use model::Nanos;
use probe::{listeners_on, started_at};
use record::TargetUse;

use super::process_figures::{Found, LevelWatch};
use super::sampling::{EVERY, is_due};
use super::{cores, use_of_process};
use crate::clock::Clock;
use crate::config::RunConfig;
use crate::level::Span;

/// The target's process on this machine. After a restart, the new process is found.
#[derive(Debug)]
pub(super) struct ProcessWatch {
    clock: Clock,
    /// The process ID that the user specified. If it is set, no other process is searched for.
    pid: Option<u32>,
    /// The addresses of the target.
    addresses: Vec<SocketAddr>,
    workers_cores: Vec<usize>,
    found: Option<Found>,
    level: LevelWatch,
}

impl ProcessWatch {
    pub(super) fn new(config: &RunConfig, clock: Clock) -> Self {
        let endpoint = wire::Endpoint::try_from(&config.target).ok();
        let addresses = endpoint.and_then(|endpoint| wire::resolve(&endpoint).ok());
        let mut watch = Self {
            clock,
            pid: config.target_pid.or(config.options.watch.pid),
            addresses: addresses.unwrap_or_default(),
            workers_cores: cores::of_workers(config),
            found: None,
            level: LevelWatch::default(),
        };
        watch.find();
        watch
    }

    pub(super) fn given_by_number(&self) -> bool {
        self.pid.is_some() && self.found.is_some()
    }

    /// Finds the process by its ID, or by the port on which it listens.
    fn find(&mut self) {
        let found = match self.pid {
            Some(_) if self.found.is_some() => None, // the process with this ID has ended
            Some(pid) => i32::try_from(pid).ok().map(|pid| (pid, String::new())),
            None => self.addresses.iter().find_map(|address| {
                let listener = listeners_on(*address).ok()?.into_iter().next()?;
                Some((listener.pid, listener.name))
            }),
        };
        if let Some(found) = found.and_then(|(pid, name)| Found::new(pid, name)) {
            self.found = Some(found);
        }
    }

    pub(super) fn begin_level(&mut self, start: Nanos) {
        self.level = LevelWatch::of_level(start);
        if self.found.as_ref().is_none_or(|found| found.ended) {
            self.find();
        }
    }

    /// Takes a sample when one is due. Once a second, it checks whether the process exists and, in the measured time,
    /// records its resource use.
    pub(super) fn watch(&mut self, now: Nanos, hold: Span) {
        let in_hold = hold.start <= now && now < hold.end + EVERY;
        if in_hold && self.found.as_ref().is_some_and(|found| !found.ended) {
            self.look_at_port(now, hold);
            if now <= hold.end {
                self.level.disk.watch(&self.level.course, now, self.clock);
            }
        }
        let last = self.level.course.looks().last().map(|look| look.at);
        let due = in_hold && is_due(last, now, hold);
        if !due && now < self.level.next_look {
            return;
        }
        self.level.next_look = now + EVERY;
        match &mut self.found {
            Some(found) if !found.ended => self.level.look(found, now, due),
            Some(_) => self.look_for_the_next(now),
            // The process was not found when the level began. Repeated searches of all processes are too expensive.
            None => {}
        }
    }

    fn look_at_port(&mut self, now: Nanos, hold: Span) {
        let port = self.addresses.first().map(SocketAddr::port);
        if let (Some(port), Some(found)) = (port, &self.found)
            && now <= hold.end
        {
            self.level.port.watch(found.pid, port, now, self.clock);
            if let Some(sample) = self.level.course.last() {
                self.level.upstream.watch(sample, port, now, self.clock);
            }
        }
    }

    fn look_for_the_next(&mut self, now: Nanos) {
        let before = self.found.as_ref().and_then(|found| found.cgroup.clone());
        self.find();
        let Some(next) = self.found.as_ref().filter(|found| !found.ended) else {
            return;
        };
        if next.cgroup != before {
            self.level.cgroup = None; // another cgroup has its own counts
        }
        let last = self.level.ends.last_mut();
        if let Some(end) = last.filter(|end| end.next_pid.is_none()) {
            end.next_pid = Some(next.pid());
            end.next_at_s = Some((now - self.level.started).as_secs_f64());
        }
    }

    /// The resources used since the measured time began. `None` if no process was found, or none lived long enough for
    /// two samples.
    pub(super) fn so_far(&mut self) -> Option<TargetUse> {
        let found = self.found.as_ref()?;
        self.level.note_last_cores();
        let mut target = use_of_process::of(found, &self.level)?;
        let shared = cores::shared(&self.workers_cores, &self.level.cores);
        target.shared_cores = Some(shared).filter(|_| !self.level.cores.is_empty());
        Some(target)
    }

    /// CPU of the process between its two latest samples, in percent of one core. `None` if they are not recent.
    pub(super) fn cpu_percent_at(&self, now: Nanos) -> Option<f64> {
        let step = self.level.course.steps().last()?;
        (now < step.at + EVERY + EVERY).then_some(step.cpu_percent)
    }

    /// Whether one of the processes was started at that time, in seconds of the Unix epoch.
    pub(super) fn has_one_started_at(&self, time: f64) -> bool {
        /// Accepted difference in seconds. Both sides round to whole seconds, and a process may read the clock up to a
        /// second after its start.
        const APART: f64 = 3.0;
        let last = self.level.course.last();
        let mut processes = last.into_iter().flat_map(|sample| &sample.processes);
        processes.any(|process| {
            started_at(process).is_some_and(|started| (started - time).abs() < APART)
        })
    }
}
