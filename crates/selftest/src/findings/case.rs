//! The cases: paths of the truth server with a load, and the cause that they produce.

use harness::{Harness, Part};

/// What a case shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Truth {
    /// The server has this limit, and the load reaches it.
    Fault(&'static str),
    /// The server uses all cores with this number of threads; with more cores than threads, the threads are the limit.
    Threads(usize),
    /// The server has no limit.
    Healthy,
    /// The server has a limit that the load does not reach, or a flaw that is no limit.
    NearMiss,
}

/// One case.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) truth: Truth,
    source: &'static str,
}

impl Case {
    /// The scenario.
    pub(crate) fn part(&self) -> Part {
        Part {
            name: self.name,
            title: self.name,
            file: "findings.ts",
            source: self.source,
            modules: &[],
        }
    }

    /// The cause that must be named first. `None` if none may be named.
    pub(crate) fn expected(&self, harness: &Harness) -> Option<&'static str> {
        match self.truth {
            Truth::Fault(cause) => Some(cause),
            Truth::Threads(threads) if harness.system_cores.len() > threads => {
                Some("saturated_pool")
            }
            Truth::Threads(_) => Some("all_cores"),
            Truth::Healthy | Truth::NearMiss => None,
        }
    }
}

/// A scenario in which each user requests this path, with this load.
macro_rules! asks {
    ($path:literal, $load:literal) => {
        asks!($path, $load, "")
    };
    ($path:literal, $load:literal, $then:literal) => {
        concat!(
            "import type { Group, Options } from \"headcount\";\n",
            "export const options: Options = { load: ",
            $load,
            " };\n",
            "export default async function ask(group: Group) {\n  await group.users[0]!.get(\"",
            $path,
            "\");\n  ",
            $then,
            "\n}\n"
        )
    };
}

const fn case(name: &'static str, truth: Truth, source: &'static str) -> Case {
    Case {
        name,
        truth,
        source,
    }
}

/// All cases. The capacity of each server follows from its path: `/burn/5ms` serves 200 requests per second.
pub(crate) const CASES: [Case; 18] = [
    case(
        "one-thread",
        Truth::Fault("saturated_thread"),
        asks!(
            "/burn/5ms",
            r#"{ rate: ["40/s", "300/s"], users: 16, duration: "4s" }"#
        ),
    ),
    case(
        "one-thread/healthy",
        Truth::Healthy,
        asks!(
            "/delay/5ms",
            r#"{ rate: ["40/s", "300/s"], users: 16, duration: "4s" }"#
        ),
    ),
    case(
        "one-thread/75-percent",
        Truth::NearMiss,
        asks!(
            "/burn/5ms",
            r#"{ rate: ["40/s", "150/s"], users: 16, duration: "4s" }"#
        ),
    ),
    case(
        "threads",
        Truth::Threads(4),
        asks!(
            "/pool/5ms",
            r#"{ rate: ["40/s", "1200/s"], users: 32, duration: "4s" }"#
        ),
    ),
    case(
        "threads/healthy",
        Truth::Healthy,
        asks!(
            "/delay/5ms",
            r#"{ rate: ["40/s", "1200/s"], users: 32, duration: "4s" }"#
        ),
    ),
    case(
        "four-places",
        Truth::Fault("fixed_concurrency"),
        asks!(
            "/queue/4/10ms",
            r#"{ users: [1, 4, 8, 16], duration: "3s" }"#
        ),
    ),
    case(
        "one-place",
        Truth::Fault("fixed_concurrency"),
        asks!(
            "/queue/1/10ms",
            r#"{ users: [1, 8, 16, 32], duration: "3s" }"#,
            "await group.think(\"50ms\");"
        ),
    ),
    case(
        "places/healthy",
        Truth::Healthy,
        asks!("/delay/10ms", r#"{ users: [1, 4, 8, 16], duration: "3s" }"#),
    ),
    case(
        "places/not-all-in-use",
        Truth::NearMiss,
        asks!("/queue/4/10ms", r#"{ users: [1, 2, 4], duration: "3s" }"#),
    ),
    case(
        "leak",
        Truth::Fault("growing_memory"),
        asks!(
            "/leak/20000",
            r#"{ rate: ["200/s", "500/s"], users: 16, duration: "8s" }"#
        ),
    ),
    case(
        "leak/healthy",
        Truth::Healthy,
        asks!(
            "/delay/1ms",
            r#"{ rate: ["200/s", "500/s"], users: 16, duration: "8s" }"#
        ),
    ),
    case(
        "leak/small",
        Truth::NearMiss,
        asks!(
            "/leak/200",
            r#"{ rate: ["200/s", "500/s"], users: 16, duration: "8s" }"#
        ),
    ),
    case(
        "stalls",
        Truth::Fault("periodic_stalls"),
        asks!(
            "/stall/5ms/400ms/3s/1s",
            r#"{ rate: "100/s", users: 128, duration: "22s" }"#
        ),
    ),
    case(
        "stalls/one",
        Truth::NearMiss,
        asks!(
            "/stall/5ms/400ms/60s/3s",
            r#"{ rate: "100/s", users: 128, duration: "22s" }"#
        ),
    ),
    case(
        "timeout",
        Truth::Fault("fixed_timeout"),
        asks!(
            "/gateway/10/20ms/500ms",
            r#"{ rate: "100/s", users: 128, duration: "5s" }"#
        ),
    ),
    case(
        "timeout/quick-errors",
        Truth::NearMiss,
        asks!(
            "/error/10",
            r#"{ rate: "100/s", users: 128, duration: "5s" }"#
        ),
    ),
    case(
        "limiter",
        Truth::Fault("rate_limiter"),
        asks!(
            "/limit/100/1s",
            r#"{ rate: "300/s", users: 128, duration: "6s" }"#
        ),
    ),
    case(
        "limiter/below",
        Truth::NearMiss,
        asks!(
            "/limit/100/1s",
            r#"{ rate: "80/s", users: 128, duration: "6s" }"#
        ),
    ),
];
