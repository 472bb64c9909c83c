//! Tracks the open steps of users, to show where in the step funnel a failure happened and how far an iteration has
//! come.

mod open;

use model::{Fault, FaultKind, GroupId, Nanos, UserId};
use record::Example;

use crate::funnel::{StepEnd, StepNames};
use crate::level_state::LevelState;

pub(crate) use open::Steps;

/// The way in which an iteration ended, for the counts of its steps.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WayEnd<'a> {
    Succeeded,
    Failed(&'a Fault, Option<UserId>),
    Unfinished,
}

/// The names of the steps that the worker's scripts have used, and the number of steps that have begun.
#[derive(Debug, Default)]
pub(crate) struct StepCounter {
    pub(crate) names: StepNames,
    begun: u64,
}

impl StepCounter {
    /// Begins a step of a user or of the group, nested in the open steps. Returns a token that identifies the step when
    /// it ends.
    pub(crate) fn begin(
        &mut self,
        level: &mut LevelState,
        (id, user): (GroupId, Option<UserId>),
        name: u32,
        now: Nanos,
    ) -> u64 {
        let Some(&slot) = level.group_slots.get(&id) else {
            return 0;
        };
        self.begun += 1;
        let token = self.begun;
        let LevelState {
            groups,
            users,
            recorder,
            ..
        } = level;
        let group = &mut groups[slot];
        // While members act concurrently, a step of the group must not be nested in a step that another member began.
        let around = match group.progress.way.concurrent {
            0 => group.progress.steps.innermost(),
            _ => group.progress.way.base,
        };
        let mut owner = user.and_then(|user| users.get(user));
        let own = owner.as_ref().and_then(|user| user.steps.innermost());
        let node = recorder
            .funnel
            .node(&self.names, name, (own.or(around), group.scenario));
        let steps = owner
            .as_mut()
            .map_or(&mut group.progress.steps, |user| &mut user.steps);
        steps.begin(token, node, now);
        group.progress.way.begin(node);
        recorder.begin_step(node, now);
        token
    }
}

impl LevelState {
    /// Ends a step. `fault` is the error that ended it, if any.
    pub(crate) fn end_step(
        &mut self,
        (id, user): (GroupId, Option<UserId>),
        token: u64,
        fault: Option<&Fault>,
        now: Nanos,
    ) {
        let Some(&slot) = self.group_slots.get(&id) else {
            return;
        };
        let open = match user.and_then(|user| self.users.get(user)) {
            Some(user) => user.steps.end(token),
            None => self.groups[slot].progress.steps.end(token),
        };
        let Some((node, started)) = open else { return };
        let end = StepEnd::of(fault);
        self.recorder.end_step(node, started, now, end);
        self.groups[slot].progress.way.end(node, end);
        if let Some(fault) = fault {
            self.note_first(slot, Some(node), fault, ("", None), (user, now));
        }
    }

    /// Counts the open steps of a group whose iteration is over, because these steps never end.
    pub(crate) fn leave_steps(&mut self, slot: usize, now: Nanos) {
        let LevelState {
            groups,
            users,
            recorder,
            ..
        } = self;
        let group = &mut groups[slot];
        group.progress.steps.leave(now, recorder);
        for &user in &group.users {
            if let Some(user) = users.get(user) {
                user.steps.leave(now, recorder);
            }
        }
    }

    /// Notes that several members begin to act concurrently (`everyone`, `together`) or, if `apart` is false, have
    /// finished.
    pub(crate) fn go_apart(&mut self, id: GroupId, apart: bool) {
        let Some(group) = self.group_by_id(id) else {
            return;
        };
        if !apart {
            group.progress.way.concurrent = group.progress.way.concurrent.saturating_sub(1);
            return;
        }
        if group.progress.way.concurrent == 0 {
            group.progress.way.base = group.progress.steps.innermost();
        }
        group.progress.way.concurrent += 1;
    }

    /// Notes a failure of a user or a group that did not end the enclosing step with an error.
    pub(crate) fn flaw(
        &mut self,
        (group, user): (Option<GroupId>, Option<UserId>),
        fault: &Fault,
        (what, status): (&str, Option<u16>),
        at: Nanos,
    ) {
        let of_group = group.and_then(|id| self.group_slots.get(&id).copied());
        let known = user.and_then(|user| self.users.get(user));
        let own = known.as_ref().and_then(|user| user.steps.innermost());
        let Some(slot) = known.map(|user| user.group).or(of_group) else {
            return;
        };
        let Some(group) = self.groups.get_mut(slot) else {
            return;
        };
        let node = own.or(group.progress.steps.innermost());
        let mut flawed = node;
        while let Some(at) = flawed {
            group.progress.way.flaw(at);
            flawed = self.recorder.funnel.parent_of(at);
        }
        self.note_first(slot, node, fault, (what, status), (user, at));
    }

    /// Notes a failure, if it is the first failure of the iteration.
    fn note_first(
        &mut self,
        slot: usize,
        node: Option<u32>,
        fault: &Fault,
        named: (&str, Option<u16>),
        (user, at): (Option<UserId>, Nanos),
    ) {
        let LevelState {
            groups,
            users,
            recorder,
            ..
        } = self;
        let way = &mut groups[slot].progress.way;
        if way.first.is_some() {
            return;
        }
        let step = node.map(|node| recorder.funnel.name_of(node).to_owned());
        let name = user.and_then(|user| users.get(user));
        let name = name.map(|user| user.name.to_string());
        let example = || Example {
            at_s: at.as_secs_f64(),
            user: name,
            step,
            detail: fault.detail.clone(),
            location: None,
            frame: None,
        };
        way.first = Some(recorder.funnel.cause(node, fault, named, example));
    }

    /// Counts the steps and the first failure of an iteration that belongs to the level.
    pub(crate) fn count_way(&mut self, slot: usize, end: WayEnd<'_>, now: Nanos) {
        if let WayEnd::Failed(fault, user) = end
            && self.groups[slot].progress.way.first.is_none()
        {
            let node = match fault.kind {
                FaultKind::NeverSettles | FaultKind::LoopedForever => self.where_is(slot),
                _ => None,
            };
            self.note_first(slot, node, fault, ("", None), (user, now));
        }
        let stuck = matches!(end, WayEnd::Unfinished).then(|| self.where_is(slot));
        let way = &self.groups[slot].progress.way;
        let counts = &mut self.recorder.funnel;
        counts.count_way(way);
        match (stuck, way.first) {
            (Some(node), _) => counts.count_stuck(node),
            (None, Some(cause)) => {
                counts.count_cause(cause, matches!(end, WayEnd::Succeeded));
            }
            (None, None) => {}
        }
    }

    /// The current step of a group: of the members' innermost steps, the step that has been open longest. If no member
    /// is in a step, the group's own step.
    fn where_is(&mut self, slot: usize) -> Option<u32> {
        let LevelState { groups, users, .. } = self;
        let group = &groups[slot];
        let innermost = |user: &UserId| users.get(*user)?.steps.last();
        let open = group.users.iter().filter_map(innermost);
        let own = group.progress.steps.last();
        open.min_by_key(|open| open.started)
            .or(own)
            .map(|open| open.node)
    }
}

#[cfg(test)]
mod tests;
