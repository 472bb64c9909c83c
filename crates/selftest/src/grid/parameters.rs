use super::dice::Dice;
use super::kind::{Fault, Kind, Load, Shape};

/// Warm-up of `bench` with a duration, in milliseconds.
pub(crate) const WARM_UP: u64 = 1000;

/// The parameters that the seed decides. Times are in milliseconds.
#[derive(Clone, Debug)]
pub(crate) struct Parameters {
    pub(crate) users: u64,
    pub(crate) duration: u64,
    /// Rate of an open load, per second.
    pub(crate) rate: u64,
    /// Number of requests or messages: per user for `once`, otherwise in total.
    pub(crate) count: u64,
    /// The server's normal delay.
    pub(crate) delay: u64,
    pub(crate) timeout: u64,
    pub(crate) deadline: u64,
    pub(crate) settle: u64,
    /// The time between two messages of a user in a room.
    pub(crate) period: u64,
    /// The fault affects every nth operation.
    pub(crate) each: u64,
    /// Time from the first request to the start of the fault.
    pub(crate) at: u64,
    /// Duration of the fault, or the delay that it causes.
    pub(crate) span: u64,
}

impl Parameters {
    pub(crate) fn new(kind: &Kind, fault: Fault, dice: &mut Dice) -> Self {
        let is_room = kind.shape == Shape::Room;
        let timed_bench = kind.is_bench && kind.load != Load::Once;
        let duration = if timed_bench {
            dice.between(6, 9)
        } else {
            dice.between(4, 9)
        } * 100;
        let users = if is_room {
            3 * dice.between(1, 3)
        } else {
            dice.between(2, 8)
        };
        let timeout = dice.one_of(&[300, 500, 500, 1500]);
        let deadline = if is_room {
            dice.one_of(&[150, 250, 5000])
        } else {
            5000
        };
        let delay = dice
            .one_of(&[0, 5, 10, 20, 30])
            .max(if is_room { 0 } else { 5 });
        let count = if kind.is_bench {
            dice.between(40, 300)
        } else {
            dice.between(1, 30)
        };
        let (each, at, span) = fault_of(kind, fault, duration, (timeout, deadline), dice);
        let at = if timed_bench && at > 0 {
            at + WARM_UP
        } else {
            at
        };
        Self {
            users,
            duration,
            rate: if is_room || kind.shape == Shape::Echo {
                dice.between(10, 60)
            } else {
                dice.between(40, 200)
            },
            count: if is_room { dice.between(2, 12) } else { count },
            delay,
            timeout,
            deadline,
            settle: if is_room {
                600
            } else {
                dice.one_of(&[100, 200, 400, 5000])
            },
            period: dice.one_of(&[20, 30, 50]),
            each,
            at,
            span,
        }
    }
}

/// Returns three parameters of the fault: which operations it affects (every nth), its start, and its duration.
fn fault_of(
    kind: &Kind,
    fault: Fault,
    duration: u64,
    (timeout, deadline): (u64, u64),
    dice: &mut Dice,
) -> (u64, u64, u64) {
    let is_room = kind.shape == Shape::Room;
    let beyond = if is_room && deadline < 1000 {
        deadline
    } else {
        timeout
    };
    let at = if kind.load == Load::Once {
        dice.between(10, 120)
    } else {
        duration * dice.between(2, 8) / 10
    };
    match fault {
        Fault::Healthy
        | Fault::Silent
        | Fault::AcceptClose
        | Fault::WrongProtocol
        | Fault::DropAll
        | Fault::ErrorAll => (1, 0, 0),
        Fault::Frozen => (1, at, 0),
        Fault::PartlyFrozen => (dice.between(2, 3), at, 0),
        Fault::Stalled => (1, at, dice.between(8, 20) * 10),
        // The fault affects one of two connections, because the first one is only the preflight.
        Fault::PartlySilent | Fault::PartlyAcceptClose | Fault::PartlyWrongProtocol => {
            (dice.between(2, 5), 0, 0)
        }
        Fault::DropSome | Fault::ErrorSome | Fault::GrpcError | Fault::Duplicate | Fault::Stray => {
            (dice.between(2, 60), 0, 0)
        }
        Fault::Close | Fault::Reset | Fault::Truncate => (dice.between(1, 30), 0, 0),
        Fault::Late => (dice.between(1, 20), 0, beyond * dice.between(2, 5) / 10),
        Fault::TooLate => (dice.between(1, 20), 0, beyond + dice.between(50, 300)),
        Fault::Drip => (
            dice.between(1, 10),
            0,
            timeout * dice.one_of(&[3, 5, 15]) / 10,
        ),
        Fault::Swap => (dice.between(2, 30), 0, dice.between(60, 100)),
    }
}
