//! Causes in the structure of the target: what its work is, what it waits for, and how operations get in each other's
//! way.

use super::{asks, big_messages, room, scenario};
use crate::findings::case::{Case, Truth, case, on_all_cores, on_disk, with_flags};

pub(super) const CASES: &[Case] = &[
    case(
        "set-up",
        Truth::Fault("slow_setup"),
        scenario!(
            r#"load: { users: [1, 8, 16], duration: "4s" }"#,
            r#"await user.get("/queue/1/20ms"); for (let n = 0; n < 5; n++) await user.get("/delay/2ms");"#
        ),
    ),
    case(
        "set-up/healthy",
        Truth::Healthy,
        scenario!(
            r#"load: { users: [1, 8, 16], duration: "4s" }"#,
            r#"await user.get("/delay/20ms"); for (let n = 0; n < 5; n++) await user.get("/delay/2ms");"#
        ),
    ),
    case(
        "set-up/wide",
        Truth::NearMiss,
        scenario!(
            r#"load: { users: [1, 8, 16], duration: "4s" }"#,
            r#"await user.get("/queue/16/20ms"); for (let n = 0; n < 5; n++) await user.get("/delay/2ms");"#
        ),
    ),
    case(
        "connecting",
        Truth::Fault("connection_cost"),
        scenario!(
            r#"load: { users: [1, 8, 16], duration: "4s" }"#,
            r#"await user.websocket("/room/all?join=20ms"); for (let n = 0; n < 2; n++) await user.get("/delay/5ms");"#
        ),
    ),
    case(
        "connecting/healthy",
        Truth::Healthy,
        scenario!(
            r#"load: { users: [1, 8, 16], duration: "4s" }"#,
            r#"await user.websocket("/room/all"); for (let n = 0; n < 2; n++) await user.get("/delay/5ms");"#
        ),
    ),
    case(
        "connecting/once",
        Truth::NearMiss,
        scenario!(
            r#"load: { users: [1, 8, 16], duration: "4s" }"#,
            r#"await user.websocket("/room/all?join=1ms"); for (let n = 0; n < 20; n++) await user.get("/delay/5ms");"#
        ),
    ),
    on_all_cores(case(
        "turns",
        Truth::Turns,
        asks!("/turns/4ms", r#"{ users: [1, 4, 12], duration: "4s" }"#),
    )),
    on_all_cores(case(
        "turns/below",
        Truth::NearMiss,
        asks!(
            "/turns/4ms",
            r#"{ rate: ["40/s", "100/s"], users: 32, duration: "4s" }"#
        ),
    )),
    on_disk(case(
        "writer",
        Truth::Fault("single_writer"),
        asks!("/commit/5ms", r#"{ users: [1, 2, 8], duration: "5s" }"#),
    )),
    case(
        "writer/healthy",
        Truth::Healthy,
        asks!("/delay/5ms", r#"{ users: [1, 2, 8], duration: "5s" }"#),
    ),
    on_disk(case(
        "writer/below",
        Truth::NearMiss,
        asks!(
            "/commit/5ms",
            r#"{ rate: ["140/s", "155/s"], users: 32, duration: "5s" }"#
        ),
    )),
    case(
        "upstream",
        Truth::Fault("upstream_pool"),
        asks!(
            "/upstream/4/10ms",
            r#"{ users: [1, 4, 8, 16], duration: "3s" }"#
        ),
    ),
    case(
        "upstream/not-all-in-use",
        Truth::NearMiss,
        asks!(
            "/upstream/4/10ms",
            r#"{ users: [1, 2, 4], duration: "3s" }"#
        ),
    ),
    case(
        "square-fan-out",
        Truth::Fault("quadratic_fan_out"),
        room!("pair-work=35us"),
    ),
    case(
        "fan-out",
        Truth::Fault("linear_fan_out"),
        room!("work=650us"),
    ),
    case("fan-out/healthy", Truth::Healthy, room!("")),
    case("fan-out/cheap", Truth::NearMiss, room!("pair-work=5us")),
    case(
        "slow-consumers",
        Truth::Fault("slow_consumers"),
        big_messages!("slow=1200000&wait=100000"),
    ),
    case(
        "slow-consumers/healthy",
        Truth::Healthy,
        big_messages!("wait=100000"),
    ),
    with_flags(
        case(
            "slow-consumers/own-queues",
            Truth::NearMiss,
            big_messages!("slow=1200000"),
        ),
        &["--queue", "67108864"],
    ),
    case(
        "collisions",
        Truth::Fault("uniqueness_collisions"),
        asks!(
            "/create/10ms/5ms",
            r#"{ rate: ["10/s", "80/s"], arrivals: "poisson", users: 64, duration: "5s" }"#
        ),
    ),
    case(
        "collisions/healthy",
        Truth::Healthy,
        asks!(
            "/create/1ns/5ms",
            r#"{ rate: ["10/s", "80/s"], arrivals: "poisson", users: 64, duration: "5s" }"#
        ),
    ),
    case(
        "collisions/equal-values",
        Truth::NearMiss,
        asks!(
            "/create/60s/5ms",
            r#"{ rate: ["10/s", "80/s"], arrivals: "poisson", users: 64, duration: "5s" }"#
        ),
    ),
    case(
        "retries",
        Truth::Fault("synchronised_retries"),
        scenario!(
            r#"load: { users: 40, duration: "22s" }"#,
            r#"await user.get("/refuse/4/200ms"); await group.think("3s");"#
        ),
    ),
    case(
        "retries/healthy",
        Truth::Healthy,
        scenario!(
            r#"load: { users: 40, duration: "22s" }"#,
            r#"await user.get("/delay/200ms"); await group.think("3s");"#
        ),
    ),
    case(
        "retries/spread",
        Truth::NearMiss,
        scenario!(
            r#"load: { users: 40, duration: "22s" }"#,
            r#"await group.think("0s", "6s"); await user.get("/refuse/4/200ms");"#
        ),
    ),
];
