use model::{Fault, FaultKind, GroupId, Nanos, UserId};
use record::{Measured, StepFunnel};
use script::host::Host;

use super::WayEnd;
use crate::empty_world::empty_world;
use crate::level::Span;
use crate::people::{Group, User};
use crate::world::World;

const GROUP: GroupId = GroupId(7);

fn world_of_two() -> (World, [UserId; 2]) {
    let mut world = empty_world();
    let users = [0, 1].map(|member| {
        let user = User::new(format!("u{member}"), 0, member, 0);
        world.base.level.users.add(user)
    });
    let roles = vec![None, None];
    let group = Group::new(GROUP, 0, users.to_vec(), roles, 0, Nanos::ZERO);
    world.base.level.groups.push(group);
    world.base.level.group_slots.insert(GROUP, 0);
    world.base.level.recorder.hold = Span {
        start: Nanos::ZERO,
        end: Nanos::MAX,
    };
    (world, users)
}

fn begin(world: &mut World, user: Option<UserId>, name: &str) -> u64 {
    let number = world.step_name(name, false);
    world.step_begin(GROUP, user, number)
}

/// Ends the iteration, and begins the next one.
fn over(world: &mut World, end: WayEnd<'_>) {
    let iterations = &mut world.base.level.recorder.measured.iterations;
    iterations.planned += 1;
    iterations.started += 1;
    match end {
        WayEnd::Succeeded => iterations.succeeded += 1,
        WayEnd::Failed(..) => iterations.failed += 1,
        WayEnd::Unfinished => iterations.unfinished += 1,
    }
    world.base.level.count_way(0, end, Nanos::ZERO);
    world.base.level.leave_steps(0, Nanos::ZERO);
    world.base.level.groups[0].progress.way.clear();
}

fn told(world: World) -> Measured {
    let measured = world.base.level.recorder.into_measured(&[]);
    let broken = measured.funnel.broken_identities(&measured.iterations);
    assert_eq!(broken, []);
    measured
}

/// For each step, the numbers of iterations that reached it, passed it, passed it with failures, failed in it, and were
/// still in it at the end.
fn table(funnel: &StepFunnel) -> Vec<(String, [u64; 5])> {
    let steps = funnel.steps.iter();
    let row = |step: &record::FunnelStep| {
        [
            step.reached,
            step.passed,
            step.passed_with_failures,
            step.failed,
            step.unfinished,
        ]
    };
    steps.map(|step| (step.name(), row(step))).collect()
}

#[test]
fn steps_that_overlap_end_by_themselves() {
    let (mut world, [ann, _]) = world_of_two();
    let upload = begin(&mut world, Some(ann), "upload");
    let chat = begin(&mut world, Some(ann), "chat");
    world.step_end(GROUP, Some(ann), upload, None);
    let innermost = |world: &mut World| {
        let node = world.base.level.users.get(ann).unwrap().steps.innermost()?;
        Some(world.base.level.recorder.funnel.name_of(node).to_owned())
    };
    assert_eq!(innermost(&mut world).as_deref(), Some("chat"));
    world.step_end(GROUP, Some(ann), upload, None);
    world.step_end(GROUP, Some(ann), chat, None);
    assert_eq!(innermost(&mut world), None);
}

#[test]
fn a_failure_names_the_step_of_its_own_user() {
    let (mut world, [ann, bob]) = world_of_two();
    begin(&mut world, None, "trade");
    begin(&mut world, Some(ann), "offer");
    let browse = begin(&mut world, Some(bob), "browse");
    let fault = Fault::target(FaultKind::Refused, "refused");
    world
        .base
        .level
        .fail(ann, "GET /offer", Nanos::ZERO, &fault);
    world
        .base
        .level
        .fail(bob, "GET /browse", Nanos::ZERO, &fault);
    world.step_end(GROUP, Some(bob), browse, None);
    world
        .base
        .level
        .fail(bob, "GET /after", Nanos::ZERO, &fault);
    let told = world.base.level.recorder.measured.failures.iter();
    let told = told.map(|failure| {
        let first = &failure.first;
        (
            failure.what.as_str(),
            first.user.as_deref().unwrap(),
            first.step.as_deref().unwrap(),
        )
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            ("GET /offer", "u0", "offer"),
            ("GET /browse", "u1", "browse"),
            ("GET /after", "u1", "trade"),
        ]
    );
}

#[test]
fn an_iteration_counts_once_per_step_whatever_its_members_and_loops_do() {
    let (mut world, [ann, bob]) = world_of_two();
    for user in [ann, bob, ann] {
        let step = begin(&mut world, Some(user), "look");
        world.step_end(GROUP, Some(user), step, None);
    }
    over(&mut world, WayEnd::Succeeded);
    let measured = told(world);
    assert_eq!(
        table(&measured.funnel),
        [("look".to_owned(), [1, 1, 0, 0, 0])]
    );
    let look = &measured.funnel.steps[0];
    assert_eq!((look.begun, look.passed_time.count()), (3, 3));
    assert_eq!(measured.steps["look"].count, 3);
}

#[test]
fn a_step_within_another_has_its_parents_path_and_follows_it() {
    let (mut world, [ann, _]) = world_of_two();
    for reaches_pay in [true, false] {
        let buy = begin(&mut world, None, "buy");
        let choose = begin(&mut world, Some(ann), "choose");
        world.step_end(GROUP, Some(ann), choose, None);
        if reaches_pay {
            let pay = begin(&mut world, Some(ann), "pay");
            world.step_end(GROUP, Some(ann), pay, None);
        }
        world.step_end(GROUP, None, buy, None);
        let rate = begin(&mut world, None, "rate");
        world.step_end(GROUP, None, rate, None);
        over(&mut world, WayEnd::Succeeded);
    }
    let funnel = told(world).funnel;
    let rows = table(&funnel);
    let rows: Vec<_> = rows
        .iter()
        .map(|(name, row)| (name.as_str(), row[0]))
        .collect();
    assert_eq!(
        rows,
        [
            ("buy", 2),
            ("buy > choose", 2),
            ("buy > pay", 1),
            ("rate", 2)
        ]
    );
}

#[test]
fn members_who_take_the_groups_steps_at_once_are_in_none_of_each_others() {
    let (mut world, _) = world_of_two();
    let trade = begin(&mut world, None, "trade");
    world.concurrent(GROUP, true);
    let login = begin(&mut world, None, "login");
    let also = begin(&mut world, None, "login");
    let browse = begin(&mut world, None, "browse");
    for step in [login, also, browse] {
        world.step_end(GROUP, None, step, None);
    }
    world.concurrent(GROUP, false);
    world.step_end(GROUP, None, trade, None);
    over(&mut world, WayEnd::Succeeded);
    let funnel = told(world).funnel;
    let names: Vec<_> = funnel.steps.iter().map(record::FunnelStep::name).collect();
    assert_eq!(names, ["trade", "trade > login", "trade > browse"]);
}

#[test]
fn the_first_failure_is_the_cause_and_what_ended_the_iteration_is_not() {
    let (mut world, [ann, _]) = world_of_two();
    let select = begin(&mut world, None, "select");
    let refused = Fault::target(FaultKind::Status, "HTTP 500");
    let named = ("POST /select", Some(500));
    world
        .base
        .level
        .flaw((None, Some(ann)), &refused, named, Nanos::ZERO);
    world.step_end(GROUP, None, select, None);
    let pay = begin(&mut world, None, "pay");
    let thrown = Fault::script(FaultKind::Thrown, "no id");
    world.step_end(GROUP, None, pay, Some(&thrown));
    over(&mut world, WayEnd::Failed(&thrown, None));
    // In the next iteration a request fails in the same step, but without an error that ends the step.
    let select = begin(&mut world, None, "select");
    world
        .base
        .level
        .flaw((None, Some(ann)), &refused, named, Nanos::ZERO);
    world.step_end(GROUP, None, select, None);
    over(&mut world, WayEnd::Succeeded);
    let funnel = told(world).funnel;
    assert_eq!(
        table(&funnel),
        [
            ("select".to_owned(), [2, 2, 2, 0, 0]),
            ("pay".to_owned(), [1, 0, 0, 1, 0])
        ]
    );
    let [cause] = &funnel.first_failures[..] else {
        panic!("{:?}", funnel.first_failures)
    };
    assert_eq!(cause.step.as_deref(), Some(&["select".to_owned()][..]));
    assert_eq!((cause.what.as_str(), cause.status), named);
    assert_eq!((cause.failed, cause.succeeded), (1, 1));
    assert_eq!(cause.first.detail, "HTTP 500");
}

#[test]
fn an_unfinished_iteration_is_in_the_step_that_has_been_open_longest() {
    let (mut world, [ann, bob]) = world_of_two();
    begin(&mut world, None, "trade");
    begin(&mut world, Some(bob), "wait");
    begin(&mut world, Some(ann), "poll");
    over(&mut world, WayEnd::Unfinished);
    over(&mut world, WayEnd::Unfinished);
    let funnel = told(world).funnel;
    let left: Vec<_> = funnel
        .unfinished
        .iter()
        .map(|left| (left.step.as_ref().map(|path| path.join(" > ")), left.count))
        .collect();
    assert_eq!(left, [(Some("trade > wait".to_owned()), 1), (None, 1)]);
    assert_eq!(table(&funnel)[0], ("trade".to_owned(), [1, 0, 0, 0, 1]));
}

#[test]
fn a_step_that_ended_by_a_time_out_has_no_time() {
    let (mut world, [ann, _]) = world_of_two();
    let fault = Fault::target(FaultKind::TimedOut, "no answer within 1s");
    let step = begin(&mut world, Some(ann), "pay");
    world.step_end(GROUP, Some(ann), step, Some(&fault));
    over(&mut world, WayEnd::Failed(&fault, Some(ann)));
    let measured = told(world);
    let pay = &measured.funnel.steps[0];
    assert_eq!(
        (pay.timed_out, pay.failed_time.count(), pay.failed),
        (1, 0, 1)
    );
    assert_eq!(
        (pay.time_at(0.5).value(), pay.timeout.is_some()),
        (None, true)
    );
    assert_eq!(measured.steps["pay"].timed_out, 1);
    assert_eq!(measured.funnel.first_failures[0].kind, FaultKind::TimedOut);
}

#[test]
fn names_without_end_are_one_step() {
    let (mut world, [ann, _]) = world_of_two();
    for at in 0..2_000 {
        let step = begin(&mut world, Some(ann), &format!("page {at}"));
        world.step_end(GROUP, Some(ann), step, None);
    }
    over(&mut world, WayEnd::Succeeded);
    let funnel = told(world).funnel;
    assert!(funnel.steps.len() <= 501, "{}", funnel.steps.len());
    assert_eq!(funnel.step("(further names)").unwrap().begun, 1_500);
}
