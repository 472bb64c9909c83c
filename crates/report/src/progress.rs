//! The line that is shown per level while a run is on.

use crate::format::{count, millis, percent, plural, rate, seconds, shorten};

/// What the live line tells. `None` is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    /// Which level, from 1.
    pub level: usize,
    /// Of how many.
    pub levels: usize,
    /// Users present.
    pub users: u64,
    /// The rate of an open load, as it was written.
    pub rate: Option<String>,
    /// `ramp`, `warm-up`, `measuring`, `settling`.
    pub phase: String,
    /// Since the phase began.
    pub elapsed_s: f64,
    /// How long the phase will take; `None` when that is not known.
    pub total_s: Option<f64>,
    /// Deliveries, requests or round trips per second.
    pub per_s: Option<f64>,
    /// Of the delivery latency or the response time.
    pub p95_ms: Option<f64>,
    /// Deliveries that were lost so far.
    pub lost: Option<u64>,
    /// What failed so far.
    pub failed: Option<u64>,
    /// The busiest worker of the generator.
    pub busy_percent: Option<f64>,
    /// After the measured time: how many requests in flight are waited for, and for how many seconds at most.
    pub in_flight: Option<(u64, f64)>,
}

/// The line, without a line break.
pub fn live_line(live: &Live) -> String {
    let time = match live.total_s {
        Some(total) => format!("{} of {}", seconds(live.elapsed_s.floor()), seconds(total)),
        None => seconds(live.elapsed_s.floor()),
    };
    let head = [
        format!("level {} of {}", live.level, live.levels),
        load_of(live),
        live.in_flight.map_or_else(
            || format!("{} {time}", live.phase),
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
        live.busy_percent
            .map(|busy| format!("busiest worker {}", percent(busy))),
    ];
    let parts: Vec<String> = head
        .into_iter()
        .chain(figures.into_iter().flatten())
        .collect();
    parts.join(" · ")
}

fn load_of(live: &Live) -> String {
    let rate = live.rate.as_deref();
    rate.map_or_else(|| plural(live.users, "user"), |rate| shorten(rate, 24))
}
