use std::net::SocketAddr;

use model::Nanos;
use probe::{NetworkCounters, Sample, Sampler, listeners_on, use_between};
use record::{BusiestThread, GeneratorUse, Machine, TargetSample, TargetUse};
use wire::Endpoint;

use crate::config::RunConfig;
use crate::level::Span;

/// The target's process and our own are looked at this often.
const EVERY: Nanos = Nanos::from_secs(1);

/// Looks at the target's process and at the generator's own while a level runs.
#[derive(Debug)]
pub(crate) struct Watcher {
    target: Option<(i32, String, Sampler)>,
    own: Option<Sampler>,
    started: Nanos,
    network: Option<NetworkCounters>,
    target_samples: Vec<Sample>,
    own_samples: Vec<Sample>,
}

impl Watcher {
    /// Finds the target by its process number or by the port it listens on, if it is on this machine.
    pub(crate) fn new(config: &RunConfig) -> Self {
        let found = match config.target_pid {
            Some(pid) => i32::try_from(pid)
                .ok()
                .map(|pid| (pid, format!("pid {pid}"))),
            None => addresses(config).find_map(|address| {
                let listeners = listeners_on(address).ok()?;
                listeners
                    .into_iter()
                    .next()
                    .map(|listener| (listener.pid, listener.name))
            }),
        };
        let target = found.and_then(|(pid, name)| Some((pid, name, Sampler::new(pid).ok()?)));
        let own = i32::try_from(std::process::id())
            .ok()
            .and_then(|pid| Sampler::new(pid).ok());
        Self {
            target,
            own,
            started: Nanos::ZERO,
            network: None,
            target_samples: Vec::new(),
            own_samples: Vec::new(),
        }
    }

    /// The target runs on this machine, so that it and the generator may take each other's time.
    pub(crate) fn shares_cores(&self) -> bool {
        self.target.is_some()
    }

    pub(crate) fn begin_level(&mut self, start: Nanos) {
        self.started = start;
        self.target_samples.clear();
        self.own_samples.clear();
        self.network = None;
    }

    /// Called often: takes a sample when one is due within the hold, and one when it ends.
    pub(crate) fn watch(&mut self, now: Nanos, hold: Span) {
        let last = self.own_samples.last().map(|sample| sample.at);
        let due = match last {
            None => now >= hold.start,
            Some(last) => last < hold.end && (now >= last + EVERY || now >= hold.end),
        };
        if !due {
            return;
        }
        if self.network.is_none() {
            self.network = NetworkCounters::look().ok();
        }
        if let Some((_, _, sampler)) = &mut self.target {
            self.target_samples.extend(sampler.sample(now).ok());
        }
        if let Some(sampler) = &mut self.own {
            let own = i32::try_from(std::process::id()).unwrap_or(0);
            self.own_samples
                .extend(sampler.sample(now).ok().map(|mut sample| {
                    // A target that we started ourselves is our child, and not we.
                    sample.processes.retain(|process| process.pid == own);
                    sample
                }));
        }
    }

    /// What the target and the generator used from the first sample to the last.
    pub(crate) fn end_level(&mut self, generator: &mut GeneratorUse) -> Option<TargetUse> {
        generator.cpu_percent = over_all(&self.own_samples).map(|used| used.cpu_percent);
        let (pid, name, _) = self.target.as_ref()?;
        let whole = over_all(&self.target_samples)?;
        let memory = |sample: &Sample| {
            sample
                .processes
                .iter()
                .map(|process| process.memory)
                .sum::<u64>()
        };
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        let network = self
            .network
            .and_then(|before| Some(NetworkCounters::look().ok()?.since(before)));
        Some(TargetUse {
            pid: u32::try_from(*pid).unwrap_or(0),
            name: name.clone(),
            cpu_percent: Some(whole.cpu_percent),
            busiest_thread: whole.busiest_thread.map(|thread| BusiestThread {
                name: thread.name,
                cpu_percent: thread.percent,
            }),
            memory_mb_start: self
                .target_samples
                .first()
                .map(|sample| megabytes(memory(sample))),
            memory_mb_end: self
                .target_samples
                .last()
                .map(|sample| megabytes(memory(sample))),
            memory_mb_max: self.target_samples.iter().map(memory).max().map(megabytes),
            threads: Some(whole.threads.len() as u64),
            descriptors: whole.descriptors,
            descriptor_limit: whole.descriptor_limit,
            connections: None,
            listen_overflows: network.and_then(|network| network.listen_overflows),
            retransmissions: network.and_then(|network| network.retransmits),
            samples: self.series(),
        })
    }

    fn series(&self) -> Vec<TargetSample> {
        let pairs = self.target_samples.windows(2).filter_map(|pair| {
            let used = use_between(&pair[0], &pair[1])?;
            Some(TargetSample {
                at_s: (pair[1].at - self.started).as_secs_f64(),
                cpu_percent: Some(used.cpu_percent),
                busiest_thread_percent: used.busiest_thread.as_ref().map(|thread| thread.percent),
                memory_mb: Some(used.memory as f64 / 1e6),
                threads: Some(used.threads.len() as u64),
                descriptors: used.descriptors,
                connections: None,
            })
        });
        pairs.collect()
    }
}

fn over_all(samples: &[Sample]) -> Option<probe::Use> {
    use_between(samples.first()?, samples.last()?)
}

fn addresses(config: &RunConfig) -> impl Iterator<Item = SocketAddr> {
    let endpoint = Endpoint::try_from(&config.target).ok();
    let addresses = endpoint
        .and_then(|endpoint| wire::resolve(&endpoint).ok())
        .unwrap_or_default();
    addresses
        .into_iter()
        .filter(|address| address.ip().is_loopback())
}

/// The machine that the generator runs on.
pub(crate) fn machine() -> Machine {
    let machine = probe::Machine::look();
    Machine {
        cpu: machine.cpu_model,
        cores: machine.cores,
        memory_mb: machine.memory.map(|bytes| bytes / 1_000_000),
        kernel: machine.kernel,
        fd_limit: machine.descriptor_limit,
        local_ports: machine
            .port_range
            .map(|(low, high)| u32::from(high) - u32::from(low) + 1),
    }
}
