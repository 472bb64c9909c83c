//! Was the target the limit, or the generator? The limits stand in `docs/reference/soundness.md`.

use model::Nanos;
use record::{GeneratorUse, Level, Timings};
use stats::Histogram;

use crate::shortfall;

/// The shares of a shorter hold are noise: one wake-up is most of it.
const SHORTEST_S: f64 = 0.1;
/// Above this share of its time a worker could not have kept up with more.
const BUSY_LIMIT: f64 = 95.0;
const BUSY_DOUBT: f64 = 80.0;
/// Planned starts and readings that are later than this are not the planned load and not the target's time.
const DELAY_LIMIT: Nanos = Nanos::from_millis(10);
/// Beyond these a delay is judged by its share of the time that was measured.
const DELAY_LONG: Nanos = Nanos::from_millis(2);
const DELAY_LONG_SHARE: f64 = 0.25;
const DELAY_DOUBT: Nanos = Nanos::from_micros(500);
const DELAY_DOUBT_SHARE: f64 = 0.05;
/// Time that a CPU quota stopped the generator, as a share of the measured time.
const THROTTLED_LIMIT: f64 = 1.0;
/// Arrivals that the generator did not come to, as a share of those planned.
const BEHIND_LIMIT: f64 = 0.1;
/// The share of their time for which users of a closed load waited for the generator, in percent.
const SLOWED_LIMIT: f64 = 50.0;
const SLOWED_DOUBT: f64 = 25.0;
/// A pause of the script's garbage collection during which nothing was read.
const PAUSE_DOUBT_MS: f64 = 20.0;
/// Where there are too few samples for the percentiles below.
const AT_MOST: &str = "most";
/// Delays are judged at the first of these that has samples enough.
const JUDGED_AT: [(f64, &str); 2] = [(0.99, "p99"), (0.9, "p90")];

/// What speaks against a level's numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Doubts {
    /// The generator was the limit: the numbers are not the target's.
    pub(crate) not_sound: Vec<String>,
    /// It came near its limits, or not all that was planned was done.
    pub(crate) suspect: Vec<String>,
}

impl Doubts {
    fn judge(&mut self, value: f64, limit: f64, doubt: f64, text: impl Fn(f64) -> String) {
        if value > limit {
            self.not_sound.push(text(limit));
        } else if value > doubt {
            self.suspect.push(text(doubt));
        }
    }
}

/// Everything that speaks against a level.
pub(crate) fn doubts(level: &Level) -> Doubts {
    let mut doubts = Doubts::default();
    if level.phases.hold_s <= 0.0 {
        let text = "it ended before anything was measured".to_owned();
        doubts.not_sound.push(text);
        return doubts;
    }
    if level.phases.hold_s < SHORTEST_S {
        doubts.suspect.push(format!(
            "it was measured for {:.1} ms: how busy the workers were is judged from {:.0} ms on",
            level.phases.hold_s * 1e3,
            SHORTEST_S * 1e3
        ));
    } else {
        busy(&level.generator, &mut doubts);
    }
    throttled(level, &mut doubts);
    delays(level, &mut doubts);
    slowed(level, &mut doubts);
    dropped(level, &mut doubts);
    pauses(level, &mut doubts);
    little(level, &mut doubts);
    doubts
}

fn busy(generator: &GeneratorUse, doubts: &mut Doubts) {
    let busy = generator.busiest_worker_percent.unwrap_or(0.0);
    let workers = generator.workers.iter();
    let busiest = workers.max_by(|a, b| a.busy_percent.total_cmp(&b.busy_percent));
    let waited = busiest.and_then(|worker| worker.cpu_wait_percent);
    let waiting = waited.filter(|waited| *waited >= 1.0);
    let waiting = waiting.map_or(String::new(), |waited| {
        format!(", for {waited:.0} % of it without a CPU")
    });
    doubts.judge(busy, BUSY_LIMIT, BUSY_DOUBT, |limit| {
        format!(
            "the busiest worker had work for {busy:.0} % of the hold{waiting} (limit {limit:.0} %): \
             use more workers or cores, more machines, or less load"
        )
    });
}

fn throttled(level: &Level, doubts: &mut Doubts) {
    let stopped = level.generator.throttled_ms.unwrap_or(0.0);
    let share = stopped / level.phases.hold_s / 10.0;
    doubts.judge(share, THROTTLED_LIMIT, 0.0, |_| {
        format!(
            "the CPU quota of its cgroup stopped the generator for {stopped:.0} ms ({share:.1} % of the hold, \
             limit {THROTTLED_LIMIT:.0} %): raise the quota, or use less load"
        )
    });
}

/// Late starts, late readings and inexact receipts, held against the times that were measured.
fn delays(level: &Level, doubts: &mut Doubts) {
    let empty = Histogram::default();
    let cpu = without_cpu(&level.generator);
    let read = level.generator.read_delay.as_ref().unwrap_or(&empty);
    let error = level.generator.receipt_error.as_ref().unwrap_or(&empty);
    for (what, delays, advice) in [
        (
            "planned starts came",
            &level.generator.start_lag,
            "use more workers or cores, or a lower rate",
        ),
        (
            "what the kernel had received was read",
            read,
            "users continued that much too late: use more workers or cores, or less load",
        ),
        (
            "what was received may have been there before its time ended, and was known",
            error,
            "so much of a time may be the generator's own: use more workers or cores, or less load",
        ),
    ] {
        let judged = JUDGED_AT.into_iter().find_map(|(q, name)| {
            let delay = stats::estimate(delays, 0, q).value()?;
            Some((delay, name, share_of(delay, longest_at(level, q))))
        });
        let judged = judged.or_else(|| at_most(level, delays));
        let Some((delay, name, share)) = judged else {
            continue;
        };
        let part = share.map_or(String::new(), |share| {
            format!(", {:.0} % of the time that was measured", share * 100.0)
        });
        let text = |limit: String| {
            format!("{what} {delay} late at {name}{part} (limit {limit}): {advice}{cpu}")
        };
        let both = |long: Nanos, most: f64| format!("{long} and {:.0} % of it", most * 100.0);
        let over = |long: Nanos, most: f64| delay > long && share.is_some_and(|share| share > most);
        if delay > DELAY_LIMIT && name != AT_MOST {
            doubts.not_sound.push(text(DELAY_LIMIT.to_string()));
        } else if over(DELAY_LONG, DELAY_LONG_SHARE) {
            let limit = both(DELAY_LONG, DELAY_LONG_SHARE);
            doubts.not_sound.push(text(limit));
        } else if over(DELAY_DOUBT, DELAY_DOUBT_SHARE) {
            let limit = both(DELAY_DOUBT, DELAY_DOUBT_SHARE);
            doubts.suspect.push(text(limit));
        }
    }
}

/// Waiting for a CPU is told where it did harm.
fn without_cpu(generator: &GeneratorUse) -> String {
    let waited = generator.cpu_wait_percent.filter(|waited| *waited >= 1.0);
    waited.map_or(String::new(), |waited| {
        format!("; a worker was ready and had no CPU for {waited:.0} % of the time: give it cores of its own")
    })
}

/// Users of a closed load who wait for the generator put less load on the target.
fn slowed(level: &Level, doubts: &mut Doubts) {
    let slowed = shortfall::slowed(level).unwrap_or(0.0) * 100.0;
    let cpu = without_cpu(&level.generator);
    doubts.judge(slowed, SLOWED_LIMIT, SLOWED_DOUBT, |limit| {
        format!(
            "users waited for the generator for {slowed:.0} % of their time (limit {limit:.0} %), so the target had \
             less to do: use more workers or cores, or fewer users{cpu}"
        )
    });
}

/// With too few samples for a percentile: the longest, as a share of the longest time.
fn at_most(level: &Level, delays: &Histogram) -> Option<(Nanos, &'static str, Option<f64>)> {
    let delay = delays.max()?;
    let measured = &level.measured;
    let timed = [&measured.requests, &measured.exchanges];
    let timed = timed.into_iter().flat_map(|map| map.values());
    let responses = timed.filter_map(|timings| timings.response.max());
    let latencies = measured.deliveries.values();
    let longest = responses.chain(latencies.filter_map(|channel| channel.latency.max()));
    Some((delay, AT_MOST, share_of(delay, longest.max())))
}

fn share_of(delay: Nanos, whole: Option<Nanos>) -> Option<f64> {
    let whole = whole.filter(|whole| *whole > Nanos::ZERO)?;
    Some(delay.as_secs_f64() / whole.as_secs_f64())
}

/// The longest of what was measured, at this quantile: a delay that is small beside it spoils nothing.
fn longest_at(level: &Level, q: f64) -> Option<Nanos> {
    let measured = &level.measured;
    let timed = [&measured.requests, &measured.exchanges];
    let timed = timed.into_iter().flat_map(|map| map.values());
    let responses = timed.filter_map(|timings: &Timings| timings.response_at(q).value());
    let channels = measured.deliveries.values();
    let latencies = channels.filter_map(|channel| channel.latency_at(q).value());
    responses.chain(latencies).max()
}

fn dropped(level: &Level, doubts: &mut Doubts) {
    let iterations = &level.measured.iterations;
    let planned = iterations.planned.max(1) as f64;
    let behind = crate::open::Dropped::Behind.as_str();
    let late = iterations.dropped_why.get(behind).copied().unwrap_or(0);
    let share = late as f64 / planned * 100.0;
    doubts.judge(share, BEHIND_LIMIT, 0.0, |limit| {
        format!(
            "the generator did not come to {late} of {} planned starts (limit {limit} %): \
             use more workers or cores, or a lower rate",
            iterations.planned
        )
    });
    let nobody = iterations.dropped - late;
    if nobody > 0 {
        let causes = iterations.dropped_why.iter();
        let cause = causes
            .filter(|(why, _)| *why != behind)
            .max_by_key(|(_, dropped)| **dropped)
            .and_then(|(why, _)| why.split_once(": "))
            .map_or(String::new(), |(_, cause)| format!(" ({cause})"));
        doubts.suspect.push(format!(
            "{nobody} of {} planned starts found no user free{cause} and were dropped: what they would have met is in \
             no percentile; give more `load.users` (`bench`: -c), or ask why the others take so long",
            iterations.planned
        ));
    }
}

fn pauses(level: &Level, doubts: &mut Doubts) {
    let pause = level.generator.gc_pause_ms_max.unwrap_or(0.0);
    if pause > PAUSE_DOUBT_MS {
        doubts.suspect.push(format!(
            "collecting the script's garbage took {pause:.0} ms at once, in which nothing was read: keep less in memory"
        ));
    }
    let lost = level.generator.dropped_queue;
    if lost > 0 {
        doubts.suspect.push(format!(
            "{lost} messages or ticks were more than the script could take and are not in its view: do less for each"
        ));
    }
}

fn little(level: &Level, doubts: &mut Doubts) {
    let Some(law) = level.little.filter(|law| !law.holds) else {
        return;
    };
    doubts.not_sound.push(format!(
        "Little's law does not hold: {:.1} groups were at work, but {:.1} iterations/s of {:.3} s make {:.1}: \
         a fault of the measurement, please report it",
        law.at_work,
        law.per_s,
        law.time_s,
        law.per_s * law.time_s
    ));
}

#[cfg(test)]
mod tests;
