use delivery::{Audience, Tally};
use model::GroupId;
use script::host::{OpId, TickerId, Value};
use wire::http::Request;

use super::*;
use crate::empty_world::world_of_one;
use crate::http::{Asked, Asker, InFlight};
use crate::net::Located;
use crate::recorder::Family;
use crate::world::World;

const SETTLE: Nanos = Nanos::from_secs(5);

fn group() -> Group {
    Group::new(GroupId(1), 0, Vec::new(), Vec::new(), 1, SETTLE)
}

#[test]
fn settle_is_waited_for_once() {
    let (settle, finish) = (Nanos::from_secs(5), Nanos::from_secs(30));
    let quiet = Nanos::from_secs(100);
    // A delivery was lost, so the deliveries took the whole grace period, and none of it is left for iterations.
    let lost = Draining::after(quiet, Nanos::from_secs(105), settle, finish);
    assert_eq!(lost.until, Nanos::from_secs(105));
    assert_eq!(lost.stayed_until, Nanos::from_secs(135));
    // All deliveries had arrived at once, so iterations get the whole grace period.
    let none = Draining::after(quiet, quiet, settle, finish);
    assert_eq!(none.until, Nanos::from_secs(105));
}

/// A group whose member 0 sent one message to member 1 at `sent`.
fn group_that_awaits(sent: Nanos) -> Group {
    let mut group = group();
    let mut tallies = [Tally::default()];
    let channel = group.ledger.add_channel(0, Audience::Everyone, SETTLE);
    group.ledger.join(channel, 1);
    group.ledger.stamp(channel, 0, sent, &mut tallies);
    group.ledger.send(0, sent, sent, true, &mut tallies);
    group
}

#[test]
fn deliveries_settle_after_the_last_message_within_twice_the_grace_period() {
    let quiet = Nanos::from_secs(100);
    let until = |groups: &[Group]| settles_until(groups, quiet, SETTLE);
    assert_eq!(until(&[]), Nanos::from_secs(105));
    let sent_at = |s| group_that_awaits(Nanos::from_secs(s));
    assert_eq!(until(&[sent_at(90)]), Nanos::from_secs(105));
    assert_eq!(until(&[sent_at(102), sent_at(101)]), Nanos::from_secs(107));
    assert_eq!(until(&[sent_at(109)]), Nanos::from_secs(110));
}

#[test]
fn a_delivery_and_a_waiting_tick_are_awaited() {
    let no_wakes = VecDeque::new();
    assert!(is_settled(&[], &no_wakes));
    assert!(is_settled(&[group()], &no_wakes));
    let awaits = [group(), group_that_awaits(Nanos::from_secs(1))];
    assert!(!is_settled(&awaits, &no_wakes));
    let wake = |wake| is_settled(&[group()], &VecDeque::from([wake]));
    let (ticker, due) = (TickerId(1), Nanos::ZERO);
    assert!(!wake(Wake::Tick { ticker, due }));
    let (op, result) = (OpId(1), Ok(Value::Nothing));
    assert!(wake(Wake::Done { op, result }));
}

#[test]
fn only_groups_that_were_released_and_still_run_may_take_longer() {
    let running = Stage::Running {
        planned: Nanos::ZERO,
        since: Nanos::ZERO,
    };
    let is_stayer = |released, stage| {
        let mut group = group();
        group.stays.released = released;
        group.stage = stage;
        has_stayers(&[self::group(), group])
    };
    assert!(is_stayer(true, running));
    assert!(is_stayer(true, Stage::Settling));
    assert!(!is_stayer(true, Stage::Done));
    assert!(!is_stayer(true, Stage::Waiting));
    assert!(!is_stayer(false, running));
}

#[test]
fn iterations_get_the_grace_period_and_those_who_stayed_get_longer() {
    let (quiet, finish) = (Nanos::from_secs(100), Nanos::from_secs(30));
    let mut level = LevelState::default();
    let mut stayer = group();
    stayer.stays.waiting.push(OpId(1));
    stayer.stage = Stage::Settling;
    level.groups = vec![group(), stayer];
    let begin = |level: &mut _| Draining::begin(level, quiet, quiet, SETTLE, finish);
    let mut draining = begin(&mut level);
    let released: Vec<bool> = level
        .groups
        .iter()
        .map(|group| group.stays.released)
        .collect();
    assert_eq!(released, [false, true]);
    let is_over =
        |draining: &mut Draining, level: &mut _, s| draining.is_over(level, Nanos::from_secs(s));
    assert!(!is_over(&mut draining, &mut level, 104));
    assert!(!is_over(&mut draining, &mut level, 105));
    // The groups are not looked through at every turn.
    level.groups[1].stage = Stage::Done;
    assert!(!draining.is_over(&mut level, Nanos::from_secs(105) + LOOK_THROUGH - Nanos(1)));
    assert!(draining.is_over(&mut level, Nanos::from_secs(105) + LOOK_THROUGH));

    level.groups[1].stage = Stage::Settling;
    let mut draining = begin(&mut level);
    level.groups[1].stays.released = true;
    assert!(!is_over(&mut draining, &mut level, 129));
    assert!(is_over(&mut draining, &mut level, 130));
}

/// The end of the measured time in the following tests.
const SINCE: Nanos = Nanos::from_secs(100);

/// A world with a request in flight, whose time limit ends at 130 s.
fn world_that_awaits_a_request() -> World {
    let (mut world, user) = world_of_one();
    let Located { url, endpoint, .. } = world.base.net.connector.locate("/a").unwrap();
    let planned = Nanos::from_secs(90);
    let mut timeouts = world.base.config.options.timeouts;
    timeouts.total = Nanos::from_secs(40);
    let mut asked = Asked::by(Asker::Script(OpId(1)), user, planned);
    asked.name = world.base.level.recorder.name(Family::Request, "/a");
    let request = Request::new("GET", url);
    let call = InFlight::new((request, endpoint), planned, timeouts, asked);
    let pool = world.base.level.users.get(user).unwrap().pool(endpoint);
    pool.waiting.push_back(Box::new(call));
    world
}

/// All requests in flight end.
fn end_requests(world: &mut World) {
    world
        .base
        .level
        .users
        .each()
        .for_each(|user| user.pools.clear());
}

#[test]
fn without_operations_and_deliveries_settling_is_over_at_once() {
    let (mut world, _) = world_of_one();
    for hurried in [false, true] {
        let mut settling = Settling::since(SINCE);
        assert_eq!(settling.quiet(), None);
        assert!(settling.is_over(&mut world.base, SETTLE, hurried, SINCE));
        assert_eq!(settling.quiet(), Some(SINCE));
    }
}

#[test]
fn operations_in_flight_are_awaited_and_searched_for_at_intervals() {
    let mut world = world_that_awaits_a_request();
    let mut settling = Settling::since(SINCE);
    assert!(!settling.is_over(&mut world.base, SETTLE, false, SINCE));
    assert_eq!(
        world.base.level.timers.next_due(),
        Some(SINCE + LOOK_THROUGH)
    );
    let later = SINCE + SETTLE + SETTLE;
    assert!(!settling.is_over(&mut world.base, SETTLE, false, later));
    end_requests(&mut world);
    let next = later + LOOK_THROUGH;
    assert!(!settling.is_over(&mut world.base, SETTLE, false, next - Nanos(1)));
    assert_eq!(settling.quiet(), None);
    assert!(settling.is_over(&mut world.base, SETTLE, false, next));
    assert_eq!(settling.quiet(), Some(next));
}

#[test]
fn in_a_hurry_operations_get_the_grace_period_only() {
    let mut world = world_that_awaits_a_request();
    let mut settling = Settling::since(SINCE);
    let end = SINCE + SETTLE;
    assert!(!settling.is_over(&mut world.base, SETTLE, true, SINCE));
    assert!(!settling.is_over(&mut world.base, SETTLE, true, end - Nanos(1)));
    assert!(settling.is_over(&mut world.base, SETTLE, true, end));
    assert_eq!(settling.quiet(), Some(end));
}

#[test]
fn deliveries_get_the_grace_period_after_the_last_operation() {
    let (mut world, _) = world_of_one();
    world.base.level.groups = vec![group_that_awaits(Nanos::from_secs(99))];
    let mut settling = Settling::since(Nanos::from_secs(90));
    assert!(!settling.is_over(&mut world.base, SETTLE, false, SINCE));
    assert_eq!(world.base.level.timers.next_due(), Some(SINCE + LOOK));
    let end = SINCE + SETTLE;
    assert!(!settling.is_over(&mut world.base, SETTLE, false, end - Nanos(1)));
    while world.base.level.timers.pop_due(Nanos::MAX).is_some() {}
    assert!(settling.is_over(&mut world.base, SETTLE, false, end));
    assert_eq!(world.base.level.timers.next_due(), None);
    assert_eq!(settling.quiet(), Some(SINCE));
}
