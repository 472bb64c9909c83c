//! Detects patterns over time in the requests that a limiter lets pass.

use record::{Limited, LimitedBin};

use crate::median::median;

/// A pause of this many seconds without a passed request is not due to chance.
const CLOSED_S: f64 = 1.0;
/// If chance alone would let this many requests pass on average, but none passed, chance is ruled out.
const SURE: f64 = 14.0;
/// Minimum number of refused requests per window. A single refusal may have another cause.
const REFUSED_PER_WINDOW: f64 = 2.0;
/// Like [`SURE`], but for the closed part of each window if there are many windows.
const CLEAR: f64 = 3.0;

/// The pattern that the passed requests form over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    /// Requests passed at first, then none until the end.
    Stop { passed: f64 },
    /// The same number of requests passed again and again, and none in between.
    Periodic {
        passed: f64,
        window_s: f64,
        /// Number of windows that were observed from start to end.
        windows: usize,
        /// Whether the first window was shorter. If so, windows begin at fixed clock times and not with a request.
        aligned: bool,
        /// Whether passed and refused requests alternate while the window is open.
        mixed: bool,
    },
    /// Some requests pass all the time, while others are refused.
    Steady {
        per_s: f64,
        /// Number of requests that passed at the beginning in addition to the rate.
        burst: f64,
        /// Whether the flow is more regular than chance would make it.
        regular: bool,
        /// End of the pause after the first burst, in seconds since the start of the level. No request passed in the
        /// pause.
        reopened_s: Option<f64>,
        seconds: usize,
    },
}

/// A period in which requests passed, and the period after it in which all were refused.
struct Burst {
    /// Start of the first period, in seconds.
    opened_s: f64,
    passed: u64,
    turns: u64,
    refused: u64,
    /// Number of requests refused after the last one that passed.
    closed: u64,
}

/// Returns the pattern of a level. `users` is the maximum number of responses in flight, which may overtake each other.
pub(crate) fn shape_of(limited: &Limited, users: u64, fresh: bool) -> Option<Shape> {
    stop(limited, users)
        .or_else(|| periodic(limited, users, fresh))
        .or_else(|| dies_out(limited))
        .or_else(|| steady(limited, fresh))
}

fn stop(limited: &Limited, users: u64) -> Option<Shape> {
    let settled = limited.first_s + limited.bin_s * 2.0;
    let early = |bin: &&LimitedBin| f64::from(bin.at) * limited.bin_s <= settled;
    let first: u64 = limited
        .bins
        .iter()
        .filter(early)
        .map(|bin| bin.passed)
        .sum();
    let later = limited.passed - first;
    let is_closed = limited.last_s - limited.first_s >= CLOSED_S && limited.count >= 10;
    let slow = 2.max(first / 50).min(users.max(2)); // responses that arrived late
    (is_closed && later <= slow).then_some(Shape::Stop {
        passed: limited.passed as f64,
    })
}

/// Detects that the keys exhaust their budgets one after the other until no request passes any more.
fn dies_out(limited: &Limited) -> Option<Shape> {
    let share = limited.passed as f64 / (limited.passed + limited.count) as f64;
    let (mut refused, mut since_s) = (0, limited.first_s);
    for bin in &limited.bins {
        let closed_by_chance = SURE > share * refused as f64;
        match bin.passed {
            0 => {}
            // The limiter opened again after a pause too long for chance.
            _ if !closed_by_chance => return None,
            _ => (refused, since_s) = (0, f64::from(bin.at + 1) * limited.bin_s),
        }
        refused += bin.limited;
    }
    let is_closed = share * refused as f64 >= SURE && limited.last_s - since_s >= CLOSED_S;
    (is_closed && limited.passed_after == 0).then_some(Shape::Stop {
        passed: limited.passed as f64,
    })
}

fn bursts(limited: &Limited) -> Vec<Burst> {
    let bins = &limited.bins;
    let passing: Vec<u32> = bins
        .iter()
        .filter(|bin| bin.passed > 0)
        .map(|bin| bin.at)
        .collect();
    let widest = passing
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .max()
        .unwrap_or(0);
    let apart = (widest / 4).max(1);
    let mut bursts: Vec<Burst> = Vec::new();
    let (mut last_passing, mut last_bin) = (0, None);
    for bin in bins {
        let opens = bin.passed > 0 && (bursts.is_empty() || bin.at - last_passing > apart);
        if opens {
            let closed_until = last_bin.map_or(0, |last: u32| last + 1);
            bursts.push(Burst {
                opened_s: f64::from(closed_until.min(bin.at)) * limited.bin_s,
                passed: 0,
                turns: 0,
                refused: 0,
                closed: 0,
            });
        }
        if bin.passed > 0 {
            last_passing = bin.at;
        }
        last_bin = Some(bin.at);
        if let Some(burst) = bursts.last_mut() {
            burst.passed += bin.passed;
            burst.turns += bin.turns;
            burst.refused += bin.limited;
            burst.closed = if bin.passed > 0 {
                0
            } else {
                burst.closed + bin.limited
            };
        }
    }
    bursts
}

fn periodic(limited: &Limited, users: u64, fresh: bool) -> Option<Shape> {
    let bursts = bursts(limited);
    let (first, later) = bursts.split_first()?;
    if later.is_empty() {
        return reopened_at_the_end(limited, first, fresh);
    }
    if later.len() == 1 {
        return seen_once(limited, first, &later[0], fresh);
    }
    let opened: Vec<f64> = later.iter().map(|burst| burst.opened_s).collect();
    let mut intervals: Vec<f64> = opened.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let window_s = median(&mut intervals)?;
    let near = (limited.bin_s * 2.0).max(window_s * 0.1);
    let regular = share(&intervals, |interval| (interval - window_s).abs() <= near);
    let mut sizes: Vec<f64> = later.iter().map(|burst| burst.passed as f64).collect();
    let passed = median(&mut sizes)?;
    let even = share(&sizes, |size| {
        (size - passed).abs() <= (passed * 0.1).max(1.0)
    });
    let mut refused: Vec<f64> = later.iter().map(|burst| burst.refused as f64).collect();
    let refused = median(&mut refused)?;
    let mut closed: Vec<f64> = later.iter().map(|burst| burst.closed as f64).collect();
    let share_passed = limited.passed as f64 / (limited.passed + limited.count) as f64;
    let by_chance = median(&mut closed)? * share_passed;
    let clear = by_chance >= CLEAR && by_chance * later.len() as f64 >= SURE;
    let refuses = refused >= REFUSED_PER_WINDOW && clear;
    let start_fits = fresh && (opened[0] - window_s).abs() <= near;
    let seen = intervals.len() >= 2 || start_fits;
    let wide = window_s >= limited.bin_s * 8.0;
    if !(regular >= 0.8 && even >= 0.7 && refuses && seen && wide) {
        return None;
    }
    // The mean over several windows is more precise than a single window.
    let span = opened[opened.len() - 1] - opened[0];
    let windows = (span / window_s).round().max(1.0);
    let window_s = span / windows;
    let mut turns: Vec<f64> = later.iter().map(|burst| burst.turns as f64).collect();
    let turns = median(&mut turns)?;
    Some(Shape::Periodic {
        passed,
        window_s,
        windows: intervals.len(),
        aligned: fresh && opened[0] < window_s - near,
        mixed: turns > users as f64 + 4.0 && turns > passed * 0.15,
    })
}

/// Detects a limiter that was open, closed, and open again, once each.
fn seen_once(limited: &Limited, first: &Burst, second: &Burst, fresh: bool) -> Option<Shape> {
    let closed_s = second.opened_s - limited.first_s;
    let (passed, again) = (first.passed as f64, second.passed as f64);
    let even = (again - passed).abs() <= (passed * 0.1).max(2.0);
    let fits = fresh && closed_s >= CLOSED_S && even && reopened(limited).is_some();
    fits.then_some(Shape::Periodic {
        passed,
        window_s: second.opened_s,
        windows: 1,
        aligned: false,
        mixed: false,
    })
}

/// Detects a limiter that closed once and refused no request after it opened again.
fn reopened_at_the_end(limited: &Limited, first: &Burst, fresh: bool) -> Option<Shape> {
    let closed_s = limited.last_s - limited.first_s;
    let settled = limited.first_s + limited.bin_s * 2.0;
    let mut later = limited
        .bins
        .iter()
        .filter(|bin| f64::from(bin.at) * limited.bin_s > settled);
    let share = limited.passed as f64 / (limited.passed + limited.count) as f64;
    let sure = share * first.refused as f64 >= SURE && later.all(|bin| bin.passed == 0);
    let fits = fresh && closed_s >= CLOSED_S && sure && limited.passed_after > 2;
    fits.then_some(Shape::Periodic {
        passed: first.passed as f64,
        window_s: limited.last_s,
        windows: 1,
        aligned: false,
        mixed: false,
    })
}

fn steady(limited: &Limited, fresh: bool) -> Option<Shape> {
    let reopened_s = reopened(limited);
    let from = reopened_s.unwrap_or(limited.first_s).floor() + 1.0;
    let (passed, refused) = by_second(limited, from);
    let (seconds, total) = (passed.len(), passed.iter().sum::<f64>());
    let flowing = share(&passed, |passed| passed > 0.0);
    if seconds < 3 || total < 5.0 || flowing < 0.7 {
        return None;
    }
    let per_s = total / seconds as f64;
    let settled_s = limited.first_s + 1.0;
    let early = limited
        .bins
        .iter()
        .filter(|bin| f64::from(bin.at + 1) * limited.bin_s <= settled_s);
    let early: u64 = early.map(|bin| bin.passed).sum();
    let excess = early as f64 - per_s * settled_s;
    let noise = 3.0 * (early as f64).sqrt();
    let is_burst = fresh && excess >= noise.max(5.0) && early as f64 > 1.3 * per_s * settled_s;
    Some(Shape::Steady {
        per_s,
        burst: if is_burst { excess } else { 0.0 },
        regular: is_regular(&passed, &refused),
        reopened_s: reopened_s.filter(|_| fresh),
        seconds,
    })
}

/// Whether requests pass more evenly than by chance, regardless of their rate.
pub(crate) fn is_even(limited: &Limited) -> bool {
    has_even_pieces(limited) || has_even_gaps(limited)
}

/// Whether the gaps between passed requests vary less than by chance. Requires at least 12 gaps, with a mean of at
/// least 4 bins, so that requests are in separate bins. By chance, fewer than one in 10,000 runs has such even gaps.
fn has_even_gaps(limited: &Limited) -> bool {
    const GAPS: usize = 12;
    const WIDTH: f64 = 4.0;
    const EVEN: f64 = 0.1;
    let from = (limited.first_s + 1.0) / limited.bin_s;
    let settled = limited.bins.iter().filter(|bin| f64::from(bin.at) >= from);
    let (mut times, mut asked) = (Vec::new(), 0);
    for bin in settled {
        let passed = usize::try_from(bin.passed).unwrap_or(usize::MAX);
        if times.len() + passed > limited.bins.len() {
            return false; // too many to be in separate bins
        }
        times.extend(std::iter::repeat_n(f64::from(bin.at), passed));
        asked += bin.passed + bin.limited;
    }
    let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let n = gaps.len() as f64;
    let mean = gaps.iter().sum::<f64>() / n;
    let squares: f64 = gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum();
    // The variance that the gaps would have if each request passed by chance, independently of the others.
    let by_chance = mean * mean * (1.0 - times.len() as f64 / asked as f64);
    gaps.len() >= GAPS && mean >= WIDTH && squares / (n - 1.0) < EVEN * by_chance
}

/// Whether the number of passed requests varies less between equal intervals than by chance. The intervals are long
/// enough for chance to show, and at least 20 are required. By chance, the number varies this little in one of 10,000
/// runs.
fn has_even_pieces(limited: &Limited) -> bool {
    const PIECES: usize = 20;
    const SEEN: f64 = 2.5;
    const EVEN: f64 = 0.2;
    let from = (limited.first_s + 1.0) / limited.bin_s;
    let until = limited.last_s / limited.bin_s;
    let (from, until) = (whole(from.ceil()), whole(until.floor()));
    let mut passed = vec![0.0; until.saturating_sub(from)];
    let mut all = 0.0;
    for bin in &limited.bins {
        let at = (bin.at as usize).checked_sub(from);
        if let Some(slot) = at.and_then(|at| passed.get_mut(at)) {
            *slot += bin.passed as f64;
            all += (bin.passed + bin.limited) as f64;
        }
    }
    let sum = passed.iter().sum::<f64>();
    let by_chance = sum / passed.len().max(1) as f64 * (1.0 - sum / all.max(1.0));
    if by_chance <= 0.0 {
        return false;
    }
    let length = whole((SEEN / by_chance).ceil()).max(1);
    let pieces: Vec<f64> = passed
        .chunks_exact(length)
        .map(|piece| piece.iter().sum())
        .collect();
    let n = pieces.len() as f64;
    let mean = pieces.iter().sum::<f64>() / n;
    let squares: f64 = pieces.iter().map(|one| (one - mean) * (one - mean)).sum();
    let expected = by_chance * length as f64;
    pieces.len() >= PIECES && squares / (n - 1.0) < EVEN * expected
}

/// Returns the time at which requests passed again, if all were refused directly after the first burst.
fn reopened(limited: &Limited) -> Option<f64> {
    let at_s = |bin: &LimitedBin| f64::from(bin.at) * limited.bin_s;
    let settled = limited.first_s + limited.bin_s * 2.0;
    let next = limited
        .bins
        .iter()
        .position(|bin| bin.passed > 0 && at_s(bin) > settled)?;
    let (closed, later) = limited.bins.split_at(next);
    let refused: u64 = closed.iter().map(|bin| bin.limited).sum();
    let (passed, all) = later.iter().fold((0, 0), |(passed, all), bin| {
        (passed + bin.passed, all + bin.passed + bin.limited)
    });
    let sure = passed as f64 / all as f64 * refused as f64 >= SURE;
    Some(at_s(&later[0])).filter(|until| sure && until - limited.first_s >= CLOSED_S)
}

/// Returns the numbers of passed and refused requests in each whole second from `from` to the last 429.
fn by_second(limited: &Limited, from: f64) -> (Vec<f64>, Vec<f64>) {
    let seconds = (limited.last_s - from).floor().max(0.0);
    let (mut passed, mut refused) = (vec![0.0; whole(seconds)], vec![0.0; whole(seconds)]);
    for bin in &limited.bins {
        let second = (f64::from(bin.at) + 0.5) * limited.bin_s - from;
        if second >= 0.0 && second < seconds {
            passed[whole(second)] += bin.passed as f64;
            refused[whole(second)] += bin.limited as f64;
        }
    }
    (passed, refused)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "seconds of a level, never negative"
)]
fn whole(seconds: f64) -> usize {
    seconds as usize
}

/// Whether the flow varies much less than it would if requests were refused by chance (binomial).
fn is_regular(passed: &[f64], refused: &[f64]) -> bool {
    let n = passed.len() as f64;
    let mean = passed.iter().sum::<f64>() / n;
    let asked = mean + refused.iter().sum::<f64>() / n;
    let by_chance = mean * (1.0 - mean / asked);
    let variance = passed
        .iter()
        .map(|one| (one - mean) * (one - mean))
        .sum::<f64>()
        / (n - 1.0);
    n >= 8.0 && by_chance >= 4.0 && variance < by_chance * 0.25
}

fn share(values: &[f64], fits: impl Fn(f64) -> bool) -> f64 {
    let fitting = values.iter().filter(|value| fits(**value)).count();
    fitting as f64 / values.len().max(1) as f64
}
