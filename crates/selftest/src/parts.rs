mod counts;
mod resources;
mod times;

use harness::Part;

use crate::compare::Rows;
use crate::evidence::Evidence;

/// A part of the self-test: a scenario for which the measured values are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProofPart {
    pub(crate) part: Part,
    /// Number of deliveries per second of the part's duration. `None` if the user cannot request more deliveries.
    pub(crate) deliveries_per_s: Option<u64>,
    pub(crate) judge: fn(&Evidence, &mut Rows),
}

macro_rules! part {
    ($name:literal, $title:literal, $judge:expr) => {
        ProofPart {
            part: Part {
                name: $name,
                title: $title,
                file: concat!($name, ".ts"),
                source: include_str!(concat!("../scenarios/", $name, ".ts")),
                modules: &[],
            },
            deliveries_per_s: None,
            judge: $judge,
        }
    };
}

/// All parts, in the order in which they run.
pub(crate) const PARTS: [ProofPart; 11] = [
    part!("delays", "fixed delays over HTTP", times::delays),
    part!("echo", "fixed delays over WebSocket", times::echo),
    part!(
        "stall-http",
        "a server that stalls, at 200 arrivals/s",
        times::stall_http
    ),
    part!(
        "stall-room",
        "a room that stalls, at 200 messages/s",
        times::stall_room
    ),
    part!(
        "queue-even",
        "a queue in front of one server, after a burst of arrivals",
        times::queue_even
    ),
    part!(
        "queue-poisson",
        "a queue in front of eight servers, with random arrivals",
        times::queue_poisson
    ),
    ProofPart {
        deliveries_per_s: Some(counts::DELIVERIES_PER_S),
        ..part!(
            "deliveries",
            "deliveries dropped, duplicated, swapped and misdelivered",
            counts::deliveries
        )
    },
    part!(
        "failures",
        "refused, reset, 429, 500 and silence",
        counts::failures
    ),
    part!("leak", "a server that leaks memory", resources::leak),
    part!("busy-loop", "one saturated thread", resources::busy_loop),
    part!(
        "busy-pool",
        "a saturated pool of four threads",
        resources::busy_pool
    ),
];
