//! The answer of a search in words.

use capacity::search::{Answer, Bracket, Ceiling, Ended, Interval, Quantity, SavedSearch};
use format::{Tone, amount, plural, seconds, whole};

use super::{known, load};
use crate::section::findings::Line;
use crate::words::issue;

pub(super) fn tone(search: &SavedSearch) -> Tone {
    match search.answer.ended {
        Ended::Confirmed | Ended::LargestLoadHeld => Tone::Good,
        Ended::FirstLoadFailed | Ended::NotRecovered | Ended::Slowing => Tone::Bad,
        Ended::OutOfTime
        | Ended::GeneratorLimit
        | Ended::Unmeasured
        | Ended::Undecided
        | Ended::Interrupted
        | Ended::TrialError => Tone::Doubtful,
    }
}

/// The answer in one sentence.
pub(super) fn headline(search: &SavedSearch) -> String {
    let answer = &search.answer;
    let of = |value: f64| load(value, search.quantity);
    let at_least = answer.at_least.map(of);
    let known = known(answer.holds, answer.fails, search.quantity);
    match (answer.ended, answer.stable) {
        (Ended::Confirmed, Some(stable)) if is_wide(stable) => format!(
            "stable ceiling: {}; {} is confirmed",
            between(stable.interval, search.quantity),
            of(stable.load)
        ),
        (Ended::Confirmed, Some(stable)) => format!("stable ceiling: {}", of(stable.load)),
        (Ended::Confirmed | Ended::OutOfTime, _) => {
            format!("no ceiling: the time ran out before one was confirmed ({known})")
        }
        (Ended::GeneratorLimit, _) => match (at_least, answer.fails.map(of)) {
            (Some(load), Some(fails)) => format!(
                "at least {load}, and {fails} fails: in between, the generator was the limit"
            ),
            (Some(load), None) => {
                format!("at least {load}: the generator was the limit, not the target")
            }
            (None, _) => "no ceiling: the generator was the limit at every load".to_owned(),
        },
        (Ended::LargestLoadHeld, _) => match at_least {
            Some(load) => format!("at least {load}: the largest load to try (--most) held"),
            None => "no ceiling: no load was tried".to_owned(),
        },
        (Ended::FirstLoadFailed, _) => format!(
            "no load holds: even {} breaks a threshold",
            of(search
                .settings
                .first
                .min(search.trials.last().map_or(f64::MAX, |one| one.trial.load)))
        ),
        (Ended::NotRecovered, _) => {
            format!("no ceiling: the target did not recover from an overload ({known})")
        }
        (Ended::Slowing, _) => {
            format!("no ceiling: the target becomes slower under a constant load ({known})")
        }
        (Ended::Unmeasured, _) => format!(
            "no ceiling: nothing was measured for {}",
            answer.unmeasured.join(" · ")
        ),
        (Ended::Undecided, _) => {
            format!("no ceiling: a threshold could not be decided in a long trial ({known})")
        }
        (Ended::Interrupted, Some(stable)) => {
            format!("stable ceiling: {} (then interrupted)", of(stable.load))
        }
        (Ended::Interrupted, None) => format!("interrupted: {known}"),
        (Ended::TrialError, Some(stable)) => format!(
            "stable ceiling: {} (then a trial could not run)",
            of(stable.load)
        ),
        (Ended::TrialError, None) => {
            format!("no ceiling: a trial could not run ({known})")
        }
    }
}

/// The lines below the headline.
pub(super) fn details(search: &SavedSearch) -> Vec<String> {
    let answer = &search.answer;
    let quantity = search.quantity;
    let mut lines = Vec::new();
    if let Some(stable) = answer.stable {
        lines.push(format!(
            "  {} confidence interval (90 %); {} held, and {} failed",
            between(stable.interval, quantity),
            plural(stable.repetitions.into(), "long trial"),
            answer
                .fails
                .map_or_else(|| "a higher load".to_owned(), |fails| load(fails, quantity)),
        ));
        lines.push(production_limit(search, stable.load));
        lines.extend(people(search, stable.load));
    }
    if let Some(probably) = answer.probably {
        lines.push(format!(
            "  the ceiling is probably {} (90 %, not confirmed)",
            between(probably, quantity)
        ));
    }
    lines.extend(ceilings(answer, quantity));
    if let Some(limit) = &answer.generator
        && answer.ended != Ended::GeneratorLimit
    {
        lines.push(format!(
            "  generator: its limit was reached at {}",
            load(limit.load, quantity)
        ));
        let because = limit.because.iter().map(issue::sentence);
        lines.extend(because.map(|why| format!("    {why}")));
        lines.push(format!("    to raise it: {RAISE}"));
    }
    lines.extend(longer_ramp(search));
    let broken = match answer.ended {
        Ended::NotRecovered => broken_at_last(search),
        _ => broken_at_all_loads(search),
    };
    if !broken.is_empty() {
        lines.push(format!("  broken: {}", broken.join(" · ")));
    }
    lines.extend(next_step(search).map(|step| format!("  next: {step}")));
    lines
}

/// How long the users take to be ready, if that is longer than the usual ramp.
fn longer_ramp(search: &SavedSearch) -> Option<String> {
    let ramps = search.trials.iter().filter_map(|one| one.trial.ramp_s);
    let longest = ramps.reduce(f64::max)?;
    Some(format!(
        "  ramp: up to {} instead of {}, because users were not ready in time",
        seconds(longest),
        seconds(search.settings.ramp_s)
    ))
}

/// The load to plan for, with its arithmetic.
fn production_limit(search: &SavedSearch, ceiling: f64) -> String {
    let production = &search.production;
    let limit = load(
        rounded_down(production.limit(ceiling), search.quantity),
        search.quantity,
    );
    let mut steps = Vec::new();
    if let Some(growth) = production.growth_percent {
        let times = format::precise(production.growth());
        steps.push(format!(" ÷ {times} for growth of {} %", amount(growth)));
    }
    if let Some(nodes) = production.nodes {
        let left = nodes - 1;
        steps.push(format!(
            " × {left}/{nodes} for the loss of one of {nodes} nodes"
        ));
    }
    if steps.is_empty() {
        return format!("  production limit: {limit} (70 % of the stable ceiling)");
    }
    let ceiling = load(ceiling, search.quantity);
    format!("  production limit: {limit} ({ceiling}{})", steps.concat())
}

/// 70 % of 90 is slightly less than 63 in binary numbers.
const INEXACT: f64 = 1e-9;

/// Rounds a load down to a number that can be tried: a whole number of users or groups, or a rate that is shown with all
/// of its digits.
fn rounded_down(value: f64, quantity: Quantity) -> f64 {
    if quantity != Quantity::Rate || value >= 100.0 || value <= 0.0 {
        return (value + INEXACT).floor();
    }
    let digits = if value < 1.0 { 2.0 } else { 3.0 };
    let scale = 10_f64.powf(digits - 1.0 - value.log10().floor());
    (value * scale + INEXACT).floor() / scale
}

/// The people that the ceiling is enough for, with the arithmetic.
fn people(search: &SavedSearch, ceiling: f64) -> Option<String> {
    let production = &search.production;
    let per_s = search.iterations_per_s(ceiling)?;
    let size = f64::from(search.group_size);
    let people = production.people(per_s, size)?;
    let every = seconds(production.person_every_s?);
    let groups = if search.group_size > 1 {
        format!(" × {} per group", search.group_size)
    } else {
        String::new()
    };
    let at_limit = people * production.limit(ceiling) / ceiling;
    Some(format!(
        "  people: {} at the ceiling ({} iterations/s × {every}{groups}), {} at the production limit",
        whole(people.floor()),
        format::number(per_s),
        whole((at_limit + INEXACT).floor())
    ))
}

/// The generator as the cause, if it ended the search: the cause, its evidence and the next step.
pub(super) fn generator_as_cause(search: &SavedSearch) -> Vec<Line> {
    let by_generator = search.answer.ended == Ended::GeneratorLimit;
    let limit = search.answer.generator.as_ref().filter(|_| by_generator);
    let Some(limit) = limit else {
        return Vec::new();
    };
    let line = |word, text| Line { word, text };
    let at = load(limit.load, search.quantity);
    let head = format!("the generator was the limit at {at}, not the target");
    let because = limit.because.iter().map(issue::sentence);
    let mut lines = vec![line("", head)];
    lines.extend(because.map(|why| line("evidence", why)));
    lines.push(line("next step", RAISE.to_owned()));
    lines
}

/// What raises the limit of the generator.
const RAISE: &str = "more workers (--workers), cores that the target does not use (--cores), source \
                     addresses for more than 28,000 connections (--source), a higher limit of open files (ulimit -n), \
                     or a machine of its own";

fn between(interval: Interval, quantity: Quantity) -> String {
    let [low, high] = [interval.low, interval.high].map(|end| match quantity {
        Quantity::Rate => end,
        Quantity::Users | Quantity::Groups => end.round(),
    });
    format!("{} to {}", amount(low), load(high, quantity))
}

fn ceilings(answer: &Answer, quantity: Quantity) -> Vec<String> {
    let of = |value: f64| load(value, quantity);
    let soft = answer.soft.map(|bracket| match bracket {
        Bracket {
            holds: Some(holds),
            fails: Some(fails),
        } => format!(
            "  soft ceiling: {} (at least 90 % of the work succeeded; at {}, less)",
            of(holds),
            of(fails)
        ),
        Bracket {
            holds: Some(holds),
            fails: None,
        } => format!(
            "  soft ceiling: above {} (at least 90 % of the work still succeeded)",
            of(holds)
        ),
        Bracket {
            fails: Some(fails), ..
        } => format!("  soft ceiling: below {}", of(fails)),
        Bracket { .. } => "  soft ceiling: not measured".to_owned(),
    });
    let hard = answer
        .hard
        .map(|bracket| match (bracket.holds, bracket.fails) {
            (Some(holds), Some(fails)) => format!(
                "  hard ceiling: between {} and {} (less than half succeeded, or throughput fell)",
                of(holds),
                of(fails)
            ),
            (None, Some(fails)) => format!("  hard ceiling: below {}", of(fails)),
            (Some(holds), None) => {
                format!("  hard ceiling: above {} (no collapse seen)", of(holds))
            }
            (None, None) => "  hard ceiling: not measured".to_owned(),
        });
    soft.into_iter().chain(hard).collect()
}

/// The thresholds that the last trial broke, if no trial held.
fn broken_at_all_loads(search: &SavedSearch) -> &[String] {
    if search.trials.iter().any(|one| one.outcome.held()) {
        return &[];
    }
    broken_at_last(search)
}

/// An interval that is wider than this share of the ceiling is worth a longer search.
const WIDE: f64 = 0.3;

/// From this precision on, a lower one saves little time.
const COARSE: f64 = 0.1;

const SEE_FAILURES: &str =
    "see with `headcount run`, or `bench` for a URL, why the target fails at such a low load";
const LOWER: &str = "a lower --first; or see with `headcount run`, or `bench` for a URL, why the target fails at these loads";

/// The thresholds that the last trial broke, or why it could not begin.
fn broken_at_last(search: &SavedSearch) -> &[String] {
    search
        .trials
        .last()
        .map_or(&[], |last| &last.outcome.broken)
}

fn is_wide(stable: Ceiling) -> bool {
    stable.interval.high - stable.interval.low > WIDE * stable.load
}

/// What to do to learn more.
pub(super) fn next_step(search: &SavedSearch) -> Option<&'static str> {
    let answer = &search.answer;
    let nothing_holds = !broken_at_all_loads(search).is_empty();
    let is_wide = answer.stable.is_some_and(is_wide);
    Some(match answer.ended {
        Ended::Confirmed if is_wide => "a longer --budget, because the interval is wide",
        Ended::Confirmed | Ended::Interrupted | Ended::TrialError | Ended::GeneratorLimit => {
            return None;
        }
        Ended::OutOfTime if nothing_holds => LOWER,
        Ended::OutOfTime if search.settings.precision < COARSE => {
            "a longer --budget, or a lower precision (--precision 10)"
        }
        Ended::OutOfTime => "a longer --budget",
        Ended::LargestLoadHeld => "a higher --most",
        Ended::Undecided => {
            "see with `headcount run` why the threshold is inconclusive at this load"
        }
        Ended::FirstLoadFailed => SEE_FAILURES,
        Ended::NotRecovered => "restart the target, and see what an overload leaves behind",
        Ended::Slowing => "look for a leak, or run this load for longer with `headcount run`",
        Ended::Unmeasured => "correct the name in `thresholds`",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_keep_their_digits_and_are_rounded_down() {
        let shown = |value| load(rounded_down(value, Quantity::Rate), Quantity::Rate);
        assert_eq!(shown(0.7 * 1.2), "0.84/s");
        assert_eq!(shown(0.847), "0.84/s");
        assert_eq!(shown(0.7 * 10.0), "7/s");
        assert_eq!(shown(9.999), "9.99/s");
        assert_eq!(shown(0.7 * 71.0), "49.7/s");
        assert_eq!(shown(147.9), "147/s");
        let users = |value| load(rounded_down(value, Quantity::Users), Quantity::Users);
        assert_eq!(users(0.7 * 90.0), "63 users");
        assert_eq!(shown(0.7 * 180.0), "126/s");
        assert_eq!(users(8.9), "8 users");
    }

    #[test]
    fn the_ends_of_an_interval_of_low_rates_differ() {
        let shown = |low, high, quantity| between(Interval { low, high }, quantity);
        assert_eq!(shown(1.18, 1.317, Quantity::Rate), "1.18 to 1.32/s");
        assert_eq!(shown(204.2, 224.9, Quantity::Rate), "204 to 225/s");
        assert_eq!(shown(8.1, 9.4, Quantity::Users), "8 to 9 users");
    }
}
