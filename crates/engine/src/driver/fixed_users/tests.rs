use script::host::Message;
use url::Url;

use super::*;
use crate::empty_world::{GROUP, world_of_one};
use crate::level::Span;
use crate::program::Plain;
use crate::world::World;

/// A world of one user, whose target has a scheme to which nothing can connect.
fn fixed_world(send: Send, hold: Span) -> World {
    let (mut world, _) = world_of_one();
    world.base.level.recorder.hold = hold;
    let plain = Plain {
        url: Url::parse("ftp://127.0.0.1/").unwrap(),
        send,
        count: None,
        per_socket: None,
        shared: None,
    };
    let mut run = FixedRun::new(plain);
    run.begin_level(0, 1);
    world.fixed = Some(run);
    world
}

fn request() -> Send {
    Send::Request {
        method: "GET".to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
        expect: Vec::new(),
    }
}

fn act(world: &mut World, act: impl FnOnce(&mut FixedUsers<'_>)) {
    act(&mut world.fixed_users().unwrap());
    world.settle();
}

/// Failures that are counted if the user starts now.
fn failures(send: Send, hold: Span) -> usize {
    let mut world = fixed_world(send, hold);
    act(&mut world, |users| users.begin(GROUP, None));
    world.base.level.recorder.measured.failures.len()
}

#[test]
fn an_operation_that_cannot_start_counts_only_in_the_measured_time() {
    let later = Span {
        start: Nanos::from_secs(3600),
        end: Nanos::MAX,
    };
    let now = Span {
        start: Nanos::ZERO,
        end: Nanos::MAX,
    };
    let message = || Send::Message("hello".to_owned());
    assert_eq!(failures(request(), later), 0, "during the warm-up");
    assert_eq!(failures(request(), now), 1);
    assert_eq!(failures(message(), later), 0, "during the warm-up");
    assert_eq!(failures(message(), now), 1);
}

#[test]
fn what_ends_after_its_iteration_starts_nothing() {
    let hold = Span {
        start: Nanos::ZERO,
        end: Nanos::ZERO,
    };
    let mut world = fixed_world(request(), hold);
    let user = world.base.level.groups[0].users[0];
    let now = Nanos::ZERO;
    world.base.level.groups[0].stage = Stage::Running {
        planned: now,
        since: now,
    };
    let op = world.fixed.as_mut().unwrap().begin(user).unwrap();
    let done = || Wake::Done {
        op,
        result: Ok(Value::Nothing),
    };
    act(&mut world, |users| users.wake(done()));
    assert_eq!(
        world.fixed.as_mut().unwrap().take_ended().len(),
        1,
        "the measured time is over"
    );
    act(&mut world, |users| users.wake(done()));
    assert!(
        world.fixed.as_mut().unwrap().take_ended().is_empty(),
        "it has ended already"
    );
    assert_eq!(world.base.inconsistencies.take(), None);
}

#[test]
fn a_user_whose_socket_has_closed_pauses_and_starts_again() {
    let hold = Span {
        start: Nanos::ZERO,
        end: Nanos::MAX,
    };
    for value in [
        Value::Socket(SocketId(9), None),
        Value::Message(Message::Plain(Payload::Text("reply".to_owned()))),
    ] {
        let mut world = fixed_world(Send::Message("hello".to_owned()), hold);
        let user = world.base.level.groups[0].users[0];
        let op = world.fixed.as_mut().unwrap().begin(user).unwrap();
        let done = Wake::Done {
            op,
            result: Ok(value),
        };
        act(&mut world, |users| users.wake(done));
        let due = world.base.level.timers.next_due().unwrap();
        assert!(due >= PAUSE && due < Nanos::from_secs(60), "{due}");
        assert_eq!(world.base.inconsistencies.take(), None);
    }
}
