//! Causes around the target's program: the generator, the kernel, connections and sessions.

use super::{asks, scenario, users_stay};
use crate::findings::case::{Case, Truth, case, with_few_ports, with_flags};

pub(super) const CASES: &[Case] = &[
    case(
        "generator",
        Truth::Fault("generator"),
        scenario!(
            r#"load: { rate: ["5/s", "200/s"], users: 64, duration: "4s" }"#,
            r#"await user.get("/delay/1ms"); for (const end = Date.now() + 20; Date.now() < end; );"#
        ),
    ),
    case(
        "generator/below",
        Truth::NearMiss,
        scenario!(
            r#"load: { rate: ["5/s", "20/s"], users: 64, duration: "4s" }"#,
            r#"await user.get("/delay/1ms"); for (const end = Date.now() + 5; Date.now() < end; );"#
        ),
    ),
    case(
        "sessions",
        Truth::Fault("residual_sessions"),
        scenario!(
            r#"leftovers: { url: "/truth", at: "/sessions" }, load: { users: [4, 8], duration: "3s" }"#,
            r#"await user.get("/session/open"); await group.think("200ms");"#
        ),
    ),
    case(
        "sessions/healthy",
        Truth::Healthy,
        scenario!(
            r#"leftovers: { url: "/truth", at: "/sessions" }, load: { users: [4, 8], duration: "3s" }"#,
            r#"await user.get("/session/open"); await group.think("200ms"); await user.get("/session/end");"#
        ),
    ),
    case(
        "acknowledgement",
        Truth::Fault("delayed_acknowledgement"),
        asks!(
            "/split/3",
            r#"{ rate: ["40/s", "120/s"], users: 16, duration: "4s" }"#
        ),
    ),
    case(
        "acknowledgement/healthy",
        Truth::Healthy,
        asks!(
            "/delay/1ms",
            r#"{ rate: ["40/s", "120/s"], users: 16, duration: "4s" }"#
        ),
    ),
    case(
        "acknowledgement/40-ms-of-work",
        Truth::NearMiss,
        asks!(
            "/delay/40ms",
            r#"{ rate: ["40/s", "120/s"], users: 16, duration: "4s" }"#
        ),
    ),
    with_flags(
        case(
            "descriptors",
            Truth::Fault("descriptors_exhausted"),
            scenario!(
                r#"load: { users: [10, 80], duration: "5s" }"#,
                r#"await user.websocket("/room/all", { timeout: "1s" }); await group.think("10s");"#
            ),
        ),
        &["--descriptors", "64"],
    ),
    with_flags(
        case(
            "descriptors/below",
            Truth::NearMiss,
            scenario!(
                r#"load: { users: [10, 20], duration: "5s" }"#,
                r#"await user.websocket("/room/all", { timeout: "1s" }); await group.think("10s");"#
            ),
        ),
        &["--descriptors", "64"],
    ),
    with_flags(
        case(
            "listen-queue",
            Truth::Fault("listen_queue_full"),
            scenario!(
                r#"load: { users: 40, duration: "6s" }"#,
                r#"if (user.number === 0) await user.get("/pause-accept/700ms");
  else await user.websocket("/room/all", { timeout: "4s" });
  await group.think("900ms");"#
            ),
        ),
        &["--backlog", "4"],
    ),
    case(
        "listen-queue/long",
        Truth::NearMiss,
        scenario!(
            r#"load: { users: 40, duration: "6s" }"#,
            r#"if (user.number === 0) await user.get("/pause-accept/20ms");
  else await user.websocket("/room/all", { timeout: "4s" });
  await group.think("900ms");"#
        ),
    ),
    with_few_ports(
        case(
            "ports",
            Truth::Fault("ports_exhausted"),
            users_stay!("[20, 150]"),
        ),
        120,
    ),
    with_few_ports(
        case("ports/below", Truth::NearMiss, users_stay!("[20, 60]")),
        120,
    ),
];
