use std::collections::VecDeque;
use std::sync::Arc;

use delivery::Broadcasts;
use model::Nanos;
use record::Measured;
use wire::TlsSettings;

use crate::audience::take_broadcasts;
use crate::base::Base;
use crate::clock::Clock;
use crate::config::RunConfig;
use crate::driver::fixed::FixedRun;
use crate::inconsistency::Inconsistencies;
use crate::level_state::LevelState;
use crate::net::{Connector, Net};
use crate::pool::Pools;
use crate::socket::Sights;
use crate::steps::StepCounter;

/// The state of a worker outside the script: sockets, users, timers, ledgers and the recorder.
///
/// The script reaches it through `script::Host`, and the worker's loop drives it. It owns the [`Base`] and lends it to the
/// protocols. `react` handles what they report.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) base: Base,
    pub(crate) steps: StepCounter,
    pub(crate) pools: Pools,
    /// The users of a run without a script.
    pub(crate) fixed: Option<FixedRun>,
}

impl World {
    pub(crate) fn new(
        config: Arc<RunConfig>,
        clock: Clock,
        tls: TlsSettings,
    ) -> Result<Self, rustix::io::Errno> {
        let connector = Connector::new(config.target.clone(), config.target_is_mine, tls);
        Ok(Self {
            steps: StepCounter::default(),
            pools: Pools::default(),
            fixed: FixedRun::of(&config),
            base: Base {
                clock,
                config,
                net: Net::new(clock, connector)?,
                sights: Sights::default(),
                level: LevelState::default(),
                wakes: VecDeque::new(),
                news: VecDeque::new(),
                logged: Vec::new(),
                frame: Vec::new(),
                inconsistencies: Inconsistencies::default(),
            },
        })
    }

    /// Closes the ledgers of the level, removes its users, and returns the measurements, and what was sent to passive
    /// audiences and received by them.
    pub(crate) fn end_level(&mut self) -> (Measured, Broadcasts) {
        for group in &mut self.base.level.groups {
            group.ledger.close(&mut self.base.level.recorder.tallies);
        }
        self.base.level.recorder.end_blocks();
        let mut level = self.take_level();
        let broadcasts = take_broadcasts(&mut level);
        let measured = level
            .recorder
            .into_measured(self.base.config.scenario_names());
        (measured, broadcasts)
    }

    /// Takes the level's state, and ends all connections.
    pub(crate) fn take_level(&mut self) -> LevelState {
        self.base.net.clear();
        if let Some(run) = &mut self.fixed {
            run.end_level();
        }
        self.base.wakes.clear();
        self.base.news.clear();
        let next = self.base.level.next();
        std::mem::replace(&mut self.base.level, next)
    }

    /// The time until which the loop may sleep; `None`: until an event.
    pub(crate) fn next_due(&self) -> Option<Nanos> {
        if !self.base.wakes.is_empty() {
            return Some(Nanos::ZERO);
        }
        let due = self
            .base
            .level
            .timers
            .next_due()
            .unwrap_or(Nanos::MAX)
            .min(self.base.level.arrivals.next)
            .min(self.base.net.next_due());
        (due < Nanos::MAX).then_some(due)
    }

    /// The time of the next planned start, if nothing else is due before.
    pub(crate) fn next_start(&self) -> Nanos {
        self.base
            .level
            .timers
            .next_start()
            .unwrap_or(Nanos::MAX)
            .min(self.base.level.arrivals.next)
    }
}
