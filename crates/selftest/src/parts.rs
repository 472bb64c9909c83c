mod counts;
mod resources;
mod times;

use stage::Part;

use crate::compare::Rows;
use crate::evidence::Evidence;

/// A scenario, and what is known about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProofPart {
    pub(crate) part: Part,
    /// Deliveries that it makes in a second of its hold, where more may be asked for.
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

/// Everything that is proved, in this order.
pub(crate) const PARTS: [ProofPart; 11] = [
    part!("delays", "fixed delays by HTTP", times::delays),
    part!("echo", "fixed delays by WebSocket", times::echo),
    part!(
        "stall-http",
        "a server that falls silent, under 200 arrivals/s",
        times::stall_http
    ),
    part!(
        "stall-room",
        "a room that falls silent, under 200 messages/s",
        times::stall_room
    ),
    part!(
        "queue-even",
        "a queue before one server, after a burst of arrivals",
        times::queue_even
    ),
    part!(
        "queue-poisson",
        "a queue before eight servers, with arrivals at random",
        times::queue_poisson
    ),
    ProofPart {
        deliveries_per_s: Some(counts::DELIVERIES_PER_S),
        ..part!(
            "deliveries",
            "deliveries dropped, duplicated, swapped and strayed",
            counts::deliveries
        )
    },
    part!(
        "failures",
        "refused, reset, 429, 500 and silence",
        counts::failures
    ),
    part!("leak", "memory that a server keeps", resources::leak),
    part!("busy-loop", "one thread at its end", resources::busy_loop),
    part!(
        "busy-pool",
        "a pool of four threads at its end",
        resources::busy_pool
    ),
];
