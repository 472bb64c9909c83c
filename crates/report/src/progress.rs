//! Formats the live line of a level during a run.

use format::{count, millis, percent, plural, rate, seconds, shorten};
use model::LevelPhase;
use serde::{Serialize, Serializer};

/// Figures of the live line and the live page. Fields that are `None` are omitted.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Live {
    /// Number of the level, from 1.
    pub level: usize,
    /// Total number of levels.
    pub levels: usize,
    /// Number of users present.
    pub users: u64,
    /// Rate of an open load, as the user wrote it.
    pub rate: Option<String>,
    /// The phase of the level.
    #[serde(serialize_with = "phase_word")]
    pub phase: LevelPhase,
    /// Seconds since the level began.
    pub elapsed_s: f64,
    /// Seconds from the start of the level to the end of its measured time. `None` if unknown.
    pub total_s: Option<f64>,
    /// Deliveries, requests or round trips per second.
    pub per_s: Option<f64>,
    /// 95th percentile of the delivery latency or of the response time, in milliseconds.
    pub p95_ms: Option<f64>,
    /// Number of deliveries lost so far.
    pub lost: Option<u64>,
    /// Number of failures so far.
    pub failed: Option<u64>,
    /// Busy share of the busiest worker of the generator, in percent.
    pub busy_percent: Option<f64>,
    /// After the measured time, the number of requests in flight and the maximum time that the level waits for them, in
    /// seconds.
    pub in_flight: Option<(u64, f64)>,
    /// The agents of a fleet, with the busy share of each one's busiest worker, in percent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<(String, f64)>,
}

/// Number of agents that the live line names: the busiest.
const NAMED: usize = 3;

/// Formats the live line, without a line break.
pub fn live_line(live: &Live) -> String {
    let time = match live.total_s {
        Some(total) if live.phase == LevelPhase::Settling => {
            seconds((live.elapsed_s - total).max(0.0).floor())
        }
        Some(total) => format!("{} of {}", seconds(live.elapsed_s.floor()), seconds(total)),
        None => seconds(live.elapsed_s.floor()),
    };
    let head = [
        format!("level {} of {}", live.level, live.levels),
        load_of(live),
        live.in_flight.map_or_else(
            || format!("{} {time}", phase(live.phase)),
            |(requests, up_to_s)| {
                let requests = plural(requests, "request");
                let up_to = seconds(up_to_s.ceil());
                format!("waiting for {requests} in flight, up to {up_to}")
            },
        ),
    ];
    let figures = [
        live.per_s.map(rate),
        live.p95_ms.map(|p95| format!("p95 {}", millis(p95))),
        live.lost.map(|lost| format!("lost {}", count(lost))),
        live.failed
            .map(|failed| format!("failed {}", count(failed))),
        if live.agents.is_empty() {
            live.busy_percent
                .map(|busy| format!("busiest worker {}", percent(busy)))
        } else {
            Some(busiest_agents(&live.agents))
        },
    ];
    let parts: Vec<String> = head
        .into_iter()
        .chain(figures.into_iter().flatten())
        .collect();
    parts.join(" · ")
}

/// Names the busiest agents, and the highest share of the others.
fn busiest_agents(agents: &[(String, f64)]) -> String {
    let mut sorted: Vec<_> = agents.iter().collect();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let (named, others) = sorted.split_at(sorted.len().min(NAMED));
    let named = named
        .iter()
        .map(|(name, busy)| format!("{name} {}", percent(*busy)));
    let others = others
        .first()
        .map(|(_, busy)| format!("{} more up to {}", others.len(), percent(*busy)));
    let all: Vec<String> = named.chain(others).collect();
    format!("busy: {}", all.join(", "))
}

/// Shortens a line to one row of a terminal with this width. The last column stays free, because some terminals wrap
/// when it is filled.
pub fn one_row(line: &str, width: Option<usize>) -> String {
    shorten(
        line,
        width.map_or(usize::MAX, |width| width.saturating_sub(1)),
    )
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn phase_word<S: Serializer>(value: &LevelPhase, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(phase(*value))
}

fn phase(phase: LevelPhase) -> &'static str {
    match phase {
        LevelPhase::RampUp => "ramp-up",
        LevelPhase::WarmUp => "warm-up",
        LevelPhase::Measurement => "measuring",
        LevelPhase::Settling => "settling",
    }
}

fn load_of(live: &Live) -> String {
    let rate = live.rate.as_deref();
    rate.map_or_else(|| plural(live.users, "user"), |rate| shorten(rate, 24))
}
