use std::sync::Arc;

use delivery::Listeners;
use rand_core::SeedableRng;
use rand_pcg::Pcg64Mcg;
use script::host::AudienceSpec;

use super::channel::channels_of;
use super::fates::AudienceCount;
use super::opening::start;
use super::plan::AudiencePlan;
use super::state::{AudienceShard, Audiences, ReceivedChannel};
use crate::base::Base;
use crate::config::RunConfig;
use crate::messages::{Event, Fatal};
use crate::owner::MemberId;
use crate::timers::Alarm;
use crate::worker_parts::WorkerParts;

/// Members that are described and queued in one pass of the loop.
const PER_PASS: u32 = 64;

/// Connects the members of the audiences on a worker, before a level starts.
#[derive(Debug)]
pub(crate) struct AudienceRun {
    plan: Arc<AudiencePlan>,
    random: Pcg64Mcg,
    /// The audience and the slot of the next member.
    next: MemberId,
}

impl AudienceRun {
    pub(crate) fn start(plan: Arc<AudiencePlan>, parts: &WorkerParts) -> Self {
        let world = &mut *parts.world.borrow_mut();
        let seed = world
            .base
            .config
            .seed_of(plan.level, u32::MAX - 1 - plan.slots.of(parts.number));
        if let Err(fault) = set_up(&mut world.base, &plan, parts.number) {
            parts.tell_fatal(Fatal::Generator(fault));
        }
        let now = world.base.clock.now();
        world.base.level.timers.set(now, Alarm::Look);
        Self {
            plan,
            random: Pcg64Mcg::seed_from_u64(seed),
            next: MemberId {
                audience: 0,
                slot: 0,
            },
        }
    }

    /// Connects further members. Returns whether all members listen or have failed, and reports them.
    pub(crate) fn advance(&mut self, parts: &mut WorkerParts) -> bool {
        let is_full = parts.world.borrow().base.net.queue.waiting().count() >= PER_PASS as usize;
        if !is_full && self.connect_more(parts) {
            let world = &mut *parts.world.borrow_mut();
            let now = world.base.clock.now();
            world.base.level.timers.set(now, Alarm::Look);
            return false;
        }
        let world = parts.world.borrow();
        let shards = &world.base.level.audience.shards;
        let is_over =
            self.next.audience == shards.len() && shards.iter().all(|shard| shard.pending == 0);
        if is_over {
            let count = AudienceCount {
                members: shards.iter().map(|shard| u64::from(shard.members)).sum(),
                listening: shards
                    .iter()
                    .map(|shard| u64::from(shard.listeners.count()))
                    .sum(),
            };
            parts.tell(Event::AudienceReady(count));
        }
        is_over
    }

    /// Queues the next members. Returns whether there were any.
    fn connect_more(&mut self, parts: &mut WorkerParts) -> bool {
        let config = Arc::clone(&parts.world.borrow().base.config);
        let Some(spec) = config.audiences().get(self.next.audience) else {
            return false;
        };
        let slots = self.plan.slots;
        let (first, end) = share_of(spec, slots.of(parts.number), slots.all);
        let from = first + self.next.slot;
        let to = end.min(from + PER_PASS);
        if from >= end {
            self.next.audience += 1;
            self.next.slot = 0;
            return true;
        }
        let setup = self.plan.setup.as_deref();
        let calls = match parts.driver.members(self.next.audience, from..to, setup) {
            Ok(calls) => calls,
            Err(fault) => {
                parts.tell_fatal(Fatal::Script(*fault));
                self.next.audience = usize::MAX;
                return false;
            }
        };
        let world = &mut *parts.world.borrow_mut();
        let before: u32 = config.audiences()[..self.next.audience]
            .iter()
            .map(|spec| spec.members)
            .sum();
        for (call, index) in calls.into_iter().zip(from..to) {
            let number = self.plan.users + before + index;
            let (next, random) = (self.next, &mut self.random);
            world.lend(|base| start(base, (next, number), call, random));
            self.next.slot += 1;
        }
        true
    }
}

/// The members of an audience on one worker: from the first number to below the second.
fn share_of(spec: &AudienceSpec, worker: u32, workers: u32) -> (u32, u32) {
    let start = |worker: u32| {
        let before = u64::from(spec.members) * u64::from(worker) / u64::from(workers);
        u32::try_from(before).unwrap_or(u32::MAX)
    };
    (start(worker), start(worker + 1))
}

/// Creates the audiences of a worker, without connections.
fn set_up(base: &mut Base, plan: &AudiencePlan, worker: u32) -> Result<(), String> {
    let config: &RunConfig = &base.config;
    let deadline = config.options.deadline;
    let recorder = &mut base.level.recorder;
    let mut audiences = Audiences {
        run: config.run.id,
        ..Audiences::default()
    };
    for spec in config.audiences() {
        let (first, end) = share_of(spec, plan.slots.of(worker), plan.slots.all);
        audiences.shards.push(AudienceShard {
            name: spec.name.clone(),
            channels: Vec::new(),
            listeners: Listeners::default(),
            is_full: false,
            connections: Vec::new(),
            pending: end - first,
            members: end - first,
            searched: 0,
        });
    }
    for (number, audience, channel) in channels_of(config.audiences()) {
        let sight = base.sights.of(channel.place.clone());
        audiences.tallies.push(recorder.tally(&channel.name));
        audiences.shards[audience].channels.push(ReceivedChannel {
            number,
            deadline: channel.deadline.unwrap_or(deadline),
            sight: sight.map_err(|fault| fault.detail)?,
        });
    }
    base.level.audience = audiences;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_member_is_on_exactly_one_worker() {
        for (members, workers) in [(1, 3), (2, 2), (7, 3), (10_000, 7)] {
            let spec = AudienceSpec {
                name: String::new(),
                members,
                channels: Vec::new(),
            };
            let shares = (0..workers).map(|worker| share_of(&spec, worker, workers));
            let all: Vec<u32> = shares.flat_map(|(first, end)| first..end).collect();
            assert_eq!(all, (0..members).collect::<Vec<_>>());
        }
    }
}
