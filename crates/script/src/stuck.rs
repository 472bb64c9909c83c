//! Groups that never end, because they wait for nothing that can happen.

use model::{Fault, FaultKind, GroupId};
use rquickjs::Ctx;

use crate::error::ScriptFault;
use crate::exports::Exports;
use crate::frame::Location;
use crate::interpreter::Interpreter;
use crate::state::{NOBODY, State};
use crate::work::Group;

/// Returns running groups that wait for no event. Such a group never ends, unless another group settles one of its
/// promises. Each group is reported once.
///
/// If users of a group wait at different barriers, these barriers fail instead, which often ends the iteration.
pub(crate) fn stuck(interpreter: &Interpreter) -> Vec<GroupId> {
    let state = &interpreter.state;
    let mut blocked = idle_groups(state);
    blocked.retain(|&key| !unblock(interpreter, key));
    state.outcome.borrow_mut().idle.extend(blocked);
    // Groups that wait at such barriers again after being unblocked count as stuck. Otherwise unblocking might never
    // end.
    let stuck = idle_groups(state);
    let work = state.work.borrow();
    let mut stuck: Vec<GroupId> = stuck
        .into_iter()
        .filter_map(|key| work.group_id(key))
        .collect();
    stuck.sort_unstable();
    stuck
}

/// Returns the groups that became idle since the last call and still wait for no event.
fn idle_groups(state: &State) -> Vec<u32> {
    let mut idle = std::mem::take(&mut state.outcome.borrow_mut().idle);
    let work = state.work.borrow();
    idle.retain(|&key| {
        let group = work.groups.get(key);
        group.is_some_and(|group| !group.ended && !group.waits())
    });
    idle.sort_unstable();
    idle.dedup();
    idle
}

/// Rejects those barriers of a group that can never open. Returns whether there were any.
fn unblock(interpreter: &Interpreter, key: u32) -> bool {
    let state = &interpreter.state;
    let keeps_story = |group: &Group| group.keeps_story;
    let may_wait = state.work.borrow().groups.get(key).is_some_and(keeps_story);
    let Some(entry) = state.entry().filter(|_| may_wait) else {
        return false;
    };
    let mut any = false;
    interpreter.step(key, NOBODY, None, |ctx, _| {
        any = entry.unblock.clone().restore(ctx)?.call((key,))?;
        Ok(())
    });
    any
}

/// Returns the fault of a group that [`stuck`] returned. The fault's location is the scenario function, because the
/// script engine does not report where a suspended function waits.
pub(crate) fn never_settles(
    interpreter: &Interpreter,
    exports: &Exports,
    group: GroupId,
    detail: String,
) -> ScriptFault {
    let bundle = &interpreter.state.material.bundle;
    let place = |ctx: &Ctx<'_>| -> Option<Location> {
        let scenario = interpreter.state.work.borrow().scenario_of(group)?;
        let scenario = exports.at(scenario)?.restore(ctx).ok()?;
        Some(Location {
            file: bundle.name().to_owned(),
            line: scenario.get("lineNumber").ok()?,
            column: scenario.get("columnNumber").ok()?,
        })
    };
    let location = interpreter.context.with(|ctx| place(&ctx));
    let fault = Fault::script(FaultKind::NeverSettles, detail);
    ScriptFault {
        frame: location.as_ref().and_then(|place| bundle.frame(place)),
        location,
        ..ScriptFault::from(fault)
    }
}
