use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;

use delivery::Broadcasts;
use model::{Nanos, UserId};
use record::Measured;
use script::host::{LogLevel, Wake};
use wire::TlsSettings;

use crate::audience::take_broadcasts;
use crate::clock::Clock;
use crate::config::RunConfig;
use crate::dial::Dial;
use crate::driver::fixed::FixedRun;
use crate::inconsistency::Inconsistencies;
use crate::level_state::LevelState;
use crate::link::Link;
use crate::net::{Client, Connector, Net};
use crate::owner::Owner;
use crate::pool::Pools;
use crate::socket::Sights;
use crate::sources::source_place;
use crate::steps::StepCounter;

/// The state of a worker outside the script: sockets, users, timers, ledgers and the recorder.
///
/// The script reaches it through `script::Host`, and the worker's loop drives it. The protocols of the users add the
/// methods that need connections, users and measurements at once. Code that needs less takes the parts.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) clock: Clock,
    pub(crate) config: Arc<RunConfig>,
    pub(crate) net: Net<Self>,
    pub(crate) sights: Sights,
    pub(crate) level: LevelState,
    pub(crate) steps: StepCounter,
    pub(crate) wakes: VecDeque<Wake>,
    pub(crate) pools: Pools,
    pub(crate) logged: Vec<(LogLevel, String)>,
    pub(crate) inconsistencies: Inconsistencies,
    /// The users of a run without a script.
    pub(crate) fixed: Option<FixedRun>,
}

impl Client for World {
    type Owner = Owner;
    type Link = Link;
    type Queued = Dial;
}

impl World {
    pub(crate) fn new(
        config: Arc<RunConfig>,
        worker: u32,
        clock: Clock,
        tls: TlsSettings,
    ) -> Result<Self, rustix::io::Errno> {
        let connector = Connector::new(config.target.clone(), config.target_is_mine, tls);
        Ok(Self {
            clock,
            fixed: FixedRun::of(&config, worker),
            config,
            net: Net::new(clock, connector)?,
            sights: Sights::default(),
            level: LevelState::default(),
            steps: StepCounter::default(),
            wakes: VecDeque::new(),
            pools: Pools::default(),
            logged: Vec::new(),
            inconsistencies: Inconsistencies::default(),
        })
    }

    /// Prints a line about a user if the run is traced. The line begins with the time since the level's start.
    pub(crate) fn trace(&mut self, user: UserId, line: impl FnOnce() -> String) {
        if !self.config.trace {
            return;
        }
        let at = (self.clock.now() - self.level.start).as_secs_f64();
        let user = self.level.users.get(user);
        let name = user.map_or("", |user| &*user.name);
        let line = format!("{at:8.3} s  {name}  {}", line());
        self.logged.push((LogLevel::Info, line));
    }

    /// The local address of a user's connections; `None`: the kernel chooses.
    pub(crate) fn source_of(&mut self, user: UserId) -> Option<IpAddr> {
        let number = self.level.users.get(user)?.number;
        self.source_of_number(number)
    }

    /// The local address of the connections of the user or member with this number.
    pub(crate) fn source_of_number(&self, number: u32) -> Option<IpAddr> {
        let place = source_place(&self.config, number)?;
        self.config.options.source.get(place).copied()
    }

    /// Closes the ledgers of the level, removes its users, and returns the measurements, and what was sent to passive
    /// audiences and received by them.
    pub(crate) fn end_level(&mut self) -> (Measured, Broadcasts) {
        for group in &mut self.level.groups {
            group.ledger.close(&mut self.level.recorder.tallies);
        }
        self.level.recorder.end_blocks();
        let mut level = self.take_level();
        let broadcasts = take_broadcasts(&mut level);
        let measured = level.recorder.into_measured(self.config.scenario_names());
        (measured, broadcasts)
    }

    /// Takes the level's state, and ends all connections.
    pub(crate) fn take_level(&mut self) -> LevelState {
        self.net.clear();
        if let Some(run) = &mut self.fixed {
            run.end_level();
        }
        self.wakes.clear();
        let next = self.level.next();
        std::mem::replace(&mut self.level, next)
    }

    /// The time until which the loop may sleep; `None`: until an event.
    pub(crate) fn next_due(&self) -> Option<Nanos> {
        if !self.wakes.is_empty() {
            return Some(Nanos::ZERO);
        }
        let due = self
            .level
            .timers
            .next_due()
            .unwrap_or(Nanos::MAX)
            .min(self.level.arrivals.next)
            .min(self.net.next_due());
        (due < Nanos::MAX).then_some(due)
    }

    /// The time of the next planned start, if nothing else is due before.
    pub(crate) fn next_start(&self) -> Nanos {
        self.level
            .timers
            .next_start()
            .unwrap_or(Nanos::MAX)
            .min(self.level.arrivals.next)
    }
}
