//! Before a run, finds the thresholds that need more samples than a level can produce.

use plan::{Aggregate, LevelLoad, Op, Options, SubjectKind, Threshold};
use record::Forecast;

/// Every threshold for which a level cannot have enough samples, with the first such level.
pub(crate) fn forecasts(options: &Options) -> Vec<Forecast> {
    let thresholds = options.thresholds.iter();
    thresholds
        .filter_map(|threshold| {
            let levels = options.load.levels.iter().zip(1..);
            levels
                .filter(|(level, _)| covers(threshold, level))
                .find_map(|(level, number)| forecast(threshold, level, number, options))
        })
        .collect()
}

fn covers(threshold: &Threshold, level: &LevelLoad) -> bool {
    let rate = level.open.as_ref().map(|open| open.arrivals.mean_rate());
    let (users, groups) = (level.users.into(), level.groups.into());
    let reach = threshold.reach;
    reach.is_none_or(|reach| reach.covers(users, groups, rate))
}

fn forecast(
    threshold: &Threshold,
    level: &LevelLoad,
    number: usize,
    options: &Options,
) -> Option<Forecast> {
    let Aggregate::Percentile(percent) = threshold.aggregate else {
        return None;
    };
    let one_each = match threshold.subject.kind {
        SubjectKind::Iteration if threshold.subject.name.is_none() => false,
        SubjectKind::Request | SubjectKind::RoundTrip | SubjectKind::Step
            if options.mix.is_none() =>
        {
            true
        }
        _ => return None,
    };
    let q = percent / 100.0;
    let need = match threshold.op {
        Op::Less | Op::AtMost => stats::least_trials(1.0 - q),
        Op::More | Op::AtLeast => stats::least_trials(q),
        Op::Equal | Op::Unequal => stats::needed_samples(q),
    };
    let need = need.min(stats::needed_samples(q));
    // In a closed load, the target determines the number of iterations.
    let (samples, per_s) = match (&level.open, options.load.once) {
        (Some(open), _) => {
            let rate = open.arrivals.mean_rate();
            (rate * open.arrivals.hold().as_secs_f64(), Some(rate))
        }
        (None, Some(_)) => (f64::from(level.groups), None),
        (None, None) => return None,
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive; `as` from a float saturates"
    )]
    let samples = samples.round() as u64;
    (samples < need).then(|| Forecast {
        threshold: threshold.to_string(),
        level: number,
        samples,
        one_each,
        need,
        duration_s: per_s.map(|per_s| need as f64 / per_s),
    })
}

#[cfg(test)]
mod tests;
