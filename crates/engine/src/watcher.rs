//! Watches the processes of the target and the generator while a level runs. It reads `/proc` and, if the scenario
//! names one, the target's Prometheus endpoint.

mod cores;
mod disk;
mod endpoint;
mod own;
mod port;
mod process;
mod process_figures;
mod sampling;
mod scraped;
mod upstream;
mod use_of_process;

use model::{Fault, Nanos};
use record::{GeneratorUse, Machine, TargetSource, TargetUse};
use url::Url;
use wire::TlsSettings;

use crate::clock::Clock;
use crate::config::RunConfig;
use crate::level::Span;
pub(crate) use own::OwnWatch;

use endpoint::{Asker, Endpoint};
use process::ProcessWatch;
use sampling::EVERY;
use scraped::Scraped;

#[derive(Debug)]
pub(crate) struct Watcher {
    process: ProcessWatch,
    own: OwnWatch,
    endpoint: Option<Endpoint>,
    asker: Option<Asker>,
    scraped: Scraped,
    hold: Span,
    started: Nanos,
    shares_cores: bool,
}

impl Watcher {
    /// If the target is on this machine, finds its process by ID or by the port on which it listens. Also queries the
    /// Prometheus endpoint once, so that a wrong URL is found before the run.
    pub(crate) fn new(
        config: &RunConfig,
        clock: Clock,
        tls: &TlsSettings,
    ) -> Result<Self, (Url, Fault)> {
        let endpoint = Endpoint::of(config, clock, tls);
        if let Some(endpoint) = &endpoint {
            endpoint
                .ask()
                .map_err(|fault| (endpoint.url().clone(), fault))?;
        }
        Ok(Self {
            process: ProcessWatch::new(config, clock),
            own: OwnWatch::new(),
            endpoint,
            asker: None,
            scraped: Scraped::default(),
            hold: Span::default(),
            started: Nanos::ZERO,
            shares_cores: false,
        })
    }

    /// Whether the target's threads and the workers could run on the same cores in the level that ended.
    pub(crate) fn shares_cores(&self) -> bool {
        self.shares_cores
    }

    pub(crate) fn begin_level(&mut self, start: Nanos) {
        self.started = start;
        self.own = OwnWatch::new();
        self.process.begin_level(start);
        self.scraped = Scraped::default();
        self.asker = self
            .endpoint
            .clone()
            .and_then(|endpoint| Asker::start(endpoint).ok());
    }

    /// Takes a sample when one is due. Control calls this often.
    pub(crate) fn watch(&mut self, now: Nanos, hold: Span) {
        self.hold = hold;
        self.own.watch(now, hold);
        self.process.watch(now, hold);
        self.read_answers();
    }

    /// CPU of the target's process in the latest second, in percent of one core.
    pub(crate) fn cpu_percent_at(&self, now: Nanos) -> Option<f64> {
        self.process.cpu_percent_at(now)
    }

    fn read_answers(&mut self) {
        let Some(asker) = &self.asker else { return };
        for answer in asker.answers() {
            if self.hold.start <= answer.at && answer.at <= self.hold.end + EVERY {
                self.scraped.add(answer, asker.endpoint().watch());
            }
        }
    }

    /// The resources that the target and the generator used in the measured time.
    pub(crate) fn end_level(&mut self, generator: &mut GeneratorUse) -> Option<TargetUse> {
        let target = self.target_so_far();
        self.asker = None;
        generator.cpu_percent = self.own.cpu_percent();
        generator.stolen_percent = self.own.stolen_percent();
        let shared = target
            .as_ref()
            .and_then(|target| target.shared_cores.as_ref());
        self.shares_cores = shared.is_some_and(|shared| !shared.is_empty());
        target
    }

    /// The resources that the target has used since the measured time began.
    pub(crate) fn target_so_far(&mut self) -> Option<TargetUse> {
        self.read_answers();
        let found = self.process.so_far();
        match self.asker.as_ref().map(Asker::endpoint) {
            None => found,
            Some(endpoint) => Some(self.with_endpoint(endpoint, found)),
        }
    }

    /// Uses the process on this machine if the endpoint reports on that process. Otherwise the process is a proxy or a
    /// tunnel, and the endpoint's figures are used, because the user specified the endpoint.
    fn with_endpoint(&self, endpoint: &Endpoint, found: Option<TargetUse>) -> TargetUse {
        let same = self.process.given_by_number()
            || !self.scraped.tells_of_a_process()
            || self
                .scraped
                .process_started_at()
                .is_some_and(|started| self.process.has_one_started_at(started));
        let mut target = match found.filter(|_| same) {
            Some(found) => found,
            None => TargetUse {
                name: endpoint.name(),
                source: Some(TargetSource::Prometheus),
                ..self.scraped.target(self.started)
            },
        };
        target.metrics = self.scraped.metrics(self.started);
        target.scrapes = Some(self.scraped.scrapes(endpoint.url()));
        target
    }
}

/// The machine of the generator.
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
