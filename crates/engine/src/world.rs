use std::collections::VecDeque;
use std::sync::Arc;

use delivery::Tally;
use model::{Fault, GroupId, Nanos, UserId};
use script::host::{CheckPlace, Wake};
use wire::TlsSettings;

use crate::clock::Clock;
use crate::config::RunConfig;
use crate::dial::Dial;
use crate::driver::fixed::FixedRun;
use crate::funnel::StepNames;
use crate::inconsistency::Inconsistencies;
use crate::level_state::LevelState;
use crate::link::Link;
use crate::net::{Client, Connector, Net};
use crate::people::Group;
use crate::pool::Pools;
use crate::recorder::Scene;
use crate::socket::Sights;

/// The state of a worker outside the script: sockets, users, timers, ledgers and the recorder.
///
/// The script reaches it through `script::Host`, and the worker's loop drives it. Each file of this crate adds the
/// methods of one topic.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) clock: Clock,
    pub(crate) config: Arc<RunConfig>,
    pub(crate) net: Net<Self>,
    pub(crate) sights: Sights,
    pub(crate) level: LevelState,
    pub(crate) step_names: StepNames,
    /// Number of steps that have begun.
    pub(crate) step_token: u64,
    pub(crate) wakes: VecDeque<Wake>,
    pub(crate) pools: Pools,
    pub(crate) logged: Vec<(script::host::LogLevel, String)>,
    pub(crate) inconsistencies: Inconsistencies,
    /// The users of a run without a script.
    pub(crate) fixed: Option<FixedRun>,
}

impl Client for World {
    type Owner = UserId;
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
        let tls = config.program.tls_of_users(tls);
        let connector = Connector::new(config.target.clone(), config.target_is_mine, tls);
        Ok(Self {
            clock,
            fixed: FixedRun::of(&config, worker),
            config,
            net: Net::new(clock, connector)?,
            sights: Sights::default(),
            level: LevelState::default(),
            step_names: StepNames::default(),
            step_token: 0,
            wakes: VecDeque::new(),
            pools: Pools::default(),
            logged: Vec::new(),
            inconsistencies: Inconsistencies::default(),
        })
    }

    /// The group of a user, the user's member number, and the tallies of the group's ledger.
    pub(crate) fn group_of(&mut self, user: UserId) -> Option<(&mut Group, u32, &mut [Tally])> {
        let (group, member, recorder) = self.level.group_of(user)?;
        Some((group, member, &mut recorder.tallies))
    }

    pub(crate) fn group_by_id(&mut self, id: GroupId) -> Option<&mut Group> {
        let slot = *self.level.group_slots.get(&id)?;
        self.level.groups.get_mut(slot)
    }

    /// The index of the scenario that a start runs; 0 without a mix.
    pub(crate) fn scenario_of(&self, number: u64) -> usize {
        let mix = self.config.options.mix.as_ref();
        mix.map_or(0, |mix| mix.pick(number))
    }

    /// Counts a failure of a user under the name of the operation, if a part of `during` is measured.
    pub(crate) fn fail_during(
        &mut self,
        (since, until): (Nanos, Nanos),
        (user, what): (UserId, &str),
        at: Nanos,
        fault: &Fault,
    ) {
        if self.level.recorder.overlaps(since, until) {
            self.fail(user, what, at, fault);
        }
    }

    /// Counts a failure of an operation that the recorder has counted, under the name of the operation.
    pub(crate) fn fail(&mut self, user: UserId, what: &str, at: Nanos, fault: &Fault) {
        self.fail_at(None, (user, what), at, fault);
    }

    /// Like [`World::fail`], but for a failure whose place in the script may be known.
    pub(crate) fn fail_at(
        &mut self,
        place: Option<CheckPlace>,
        (user, what): (UserId, &str),
        at: Nanos,
        fault: &Fault,
    ) {
        let (name, step) = match self.level.users.get(user) {
            Some(user) => {
                let counts = &self.level.recorder.funnel;
                let own = user.steps.innermost().map(|node| counts.name_of(node));
                let of_group = || self.level.groups.get(user.group)?.step_name(counts);
                let step = own.or_else(of_group);
                (Some(user.name.to_string()), step.map(str::to_owned))
            }
            None => (None, None),
        };
        self.level.recorder.fail(
            fault,
            Scene {
                what: what.to_owned(),
                at,
                user: name,
                step,
            },
            place.as_ref().map(|place| place.location.to_string()),
            place.and_then(|place| place.frame),
        );
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
