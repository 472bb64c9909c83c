//! The soft and the hard ceiling: what the trials say about loads that break the thresholds.

use super::answer::Bracket;
use super::evidence::Done;
use super::trial::{Outcome, Purpose, Trial};

/// At the soft ceiling, at least this share of the planned work succeeds.
const MOST_OF_THE_WORK: f64 = 0.9;
/// At the hard ceiling, less than this share succeeds.
const HALF: f64 = 0.5;
/// Throughput that is lower than this share of the throughput at a lower load has fallen, unless chance explains it.
const FALLEN: f64 = 0.8;
/// Chance explains this number of standard errors.
const CHANCE: f64 = 2.0;
/// Time for an overloaded target to work off its queue, in seconds.
pub(super) const DRAIN_S: f64 = 20.0;

/// The highest load at which most of the work succeeded, and the lowest at which it did not.
pub(super) fn soft(log: &[Done]) -> Option<Bracket> {
    bracket(log, |done| {
        Some(done.outcome.succeeded? >= MOST_OF_THE_WORK)
    })
}

/// The lowest load at which less than half of the work succeeded, or at which throughput fell, and the highest below.
pub(super) fn hard(log: &[Done]) -> Option<Bracket> {
    bracket(log, |done| {
        let best_below = counted(log)
            .filter(|other| other.trial.load < done.trial.load)
            .filter_map(|other| throughput(&other.outcome))
            .fold(0.0, f64::max);
        let per_s = throughput(&done.outcome)?;
        let error = (per_s / done.trial.duration_s).sqrt();
        let fell = per_s + CHANCE * error < FALLEN * best_below;
        Some(done.outcome.succeeded? >= HALF && !fell)
    })
}

fn throughput(outcome: &Outcome) -> Option<f64> {
    outcome.throughput_per_s.or(outcome.succeeded_per_s)
}

/// The trials whose figures describe the target under the load of the trial.
fn counted(log: &[Done]) -> impl Iterator<Item = &Done> {
    let low = |purpose| matches!(purpose, Purpose::WarmUp | Purpose::Recovery);
    log.iter()
        .filter(move |done| done.outcome.is_valid() && !low(done.trial.purpose))
}

fn bracket(log: &[Done], does_well: impl Fn(&Done) -> Option<bool>) -> Option<Bracket> {
    let judged: Vec<(f64, bool)> = counted(log)
        .filter_map(|done| Some((done.trial.load, does_well(done)?)))
        .collect();
    let loads = |well: bool| judged.iter().filter(move |one| one.1 == well);
    let fails = loads(false).map(|one| one.0).reduce(f64::min);
    let below = loads(true).filter(|one| fails.is_none_or(|fails| one.0 < fails));
    let holds = below.map(|one| one.0).reduce(f64::max);
    (holds.is_some() || fails.is_some()).then_some(Bracket { holds, fails })
}

/// The lowest load above `first` at which the search began, and which failed, so that it began again at a lower one.
pub(super) fn failed_first(log: &[Done], first: f64) -> Option<f64> {
    let warm_ups = log.iter().filter(|done| {
        done.trial.purpose == Purpose::WarmUp && done.outcome.is_valid() && done.outcome.failed()
    });
    let loads = warm_ups.map(|done| done.trial.load);
    loads.filter(|load| *load > first).reduce(f64::min)
}

/// The next load that narrows the hard ceiling down: twice the highest load so far, or between the highest load that
/// did well and the lowest that did not. `None` if the ceiling is known to a quarter.
pub(super) fn next_load(log: &[Done]) -> Option<f64> {
    const CLOSE: f64 = 1.25;
    match hard(log)? {
        Bracket {
            holds: Some(holds),
            fails: Some(fails),
        } => (fails / holds > CLOSE).then(|| (holds * fails).sqrt()),
        Bracket {
            holds: Some(holds),
            fails: None,
        } => Some(holds * 2.0),
        Bracket { holds: None, .. } => None,
    }
}

/// The longest time by which an overload exceeded its duration, pause and `lead_s`, in seconds. 0 without one above
/// [`DRAIN_S`].
pub(super) fn slow_drain_s(log: &[Done], lead_s: f64) -> f64 {
    let overloads = counted(log).filter(|done| done.outcome.overloaded());
    let drains = overloads.map(|done| {
        let Trial {
            duration_s,
            pause_s,
            ramp_s,
            ..
        } = done.trial;
        done.outcome.took_s - duration_s - pause_s - lead_s - ramp_s.unwrap_or_default()
    });
    drains.filter(|s| *s > DRAIN_S).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(load: f64, succeeded: f64, per_s: f64) -> Done {
        Done {
            trial: Trial {
                load,
                duration_s: 3.0,
                pause_s: 0.0,
                purpose: Purpose::Overload,
                ramp_s: None,
            },
            outcome: Outcome {
                succeeded: Some(succeeded),
                succeeded_per_s: Some(per_s),
                ..Outcome::default()
            },
        }
    }

    #[test]
    fn soft_and_hard_ceilings_lie_between_neighbouring_trials() {
        let log = [
            done(100.0, 1.0, 100.0),
            done(200.0, 0.95, 190.0),
            done(300.0, 0.7, 210.0),
            done(600.0, 0.3, 180.0),
        ];
        let of = |holds, fails| {
            Some(Bracket {
                holds: Some(holds),
                fails: Some(fails),
            })
        };
        assert_eq!(soft(&log), of(200.0, 300.0));
        assert_eq!(hard(&log), of(300.0, 600.0));
        assert_eq!(soft(&[]), None);
    }

    #[test]
    fn falling_throughput_is_a_collapse_even_if_the_rest_succeeds() {
        let log = [done(100.0, 1.0, 100.0), done(200.0, 0.6, 70.0)];
        assert_eq!(hard(&log).unwrap().fails, Some(200.0));
    }

    #[test]
    fn chance_is_no_collapse() {
        let hard = |per_s| {
            let log = [done(6.0, 1.0, 7.0), done(12.0, 0.6, per_s)];
            hard(&log).unwrap().fails
        };
        assert_eq!(
            hard(4.0),
            None,
            "12 operations in 3 s, and 21 at half the load"
        );
        assert_eq!(hard(2.0), Some(12.0));
    }

    /// A user who stays until the end completes one iteration, however long the trial is.
    #[test]
    fn longer_trials_with_fewer_iterations_per_second_are_no_collapse() {
        let mut log = [done(450.0, 1.0, 45.0), done(452.0, 1.0, 33.0)];
        for one in &mut log {
            one.outcome.throughput_per_s = Some(one.trial.load * 50.0);
        }
        assert_eq!(hard(&log).unwrap().fails, None);
    }

    #[test]
    fn a_load_above_a_failure_does_not_raise_the_ceiling() {
        let log = [
            done(100.0, 1.0, 100.0),
            done(200.0, 0.4, 80.0),
            done(250.0, 1.0, 250.0),
        ];
        assert_eq!(soft(&log).unwrap().holds, Some(100.0));
    }

    #[test]
    fn the_next_load_doubles_and_then_bisects() {
        let mut log = vec![done(100.0, 1.0, 100.0)];
        assert_eq!(next_load(&log), Some(200.0));
        log.push(done(400.0, 0.2, 80.0));
        assert_eq!(next_load(&log), Some(200.0));
        log.push(done(350.0, 0.9, 300.0));
        assert_eq!(next_load(&log), None, "known to a quarter");
    }
}
