//! Trials that could not begin, because the target did not respond, or because `setup` failed.

use capacity::search::{Evidence, Outcome, Purpose};
use engine::RunError;
use model::Side;
use record::IssueCause;

/// Whether a trial could not begin because of this error.
pub(super) fn is_cause(why: &RunError) -> bool {
    matches!(
        why,
        RunError::Unreachable { .. } | RunError::Endpoint { .. } | RunError::Script(_)
    )
}

/// Whether the error is the outcome of such a trial. A target that ends before any load was too much has ended for another
/// reason. A Prometheus endpoint may belong to another program, and a script may have a mistake. So these are outcomes only
/// while the target may still work on what the trial before has left: in a recovery, and in the last trial, which begins
/// without one if the time is short.
///
/// `was_overloaded`: whether an earlier trial failed.
pub(super) fn is_outcome(why: &RunError, purpose: Purpose, was_overloaded: bool) -> bool {
    match why {
        RunError::Endpoint { .. } | RunError::Script(_) => {
            matches!(purpose, Purpose::Recovery | Purpose::Explain)
        }
        why => was_overloaded || is_own(why),
    }
}

/// The outcome of a trial that did not begin. A target that responded before, and does not now, has failed, but this says
/// nothing about how much it does under the load of the trial. headcount may also have no port or descriptor left for the
/// connection.
pub(super) fn outcome(why: &RunError, took_s: f64) -> Outcome {
    if is_own(why) {
        return Outcome {
            took_s,
            generator: vec![IssueCause::OwnFailures {
                failed: 1,
                operations: 1,
            }],
            ..Outcome::default()
        };
    }
    Outcome {
        took_s,
        evidence: Evidence::Broken,
        broken: vec![described(why)],
        ..Outcome::default()
    }
}

fn is_own(why: &RunError) -> bool {
    let fault = match why {
        RunError::Unreachable { fault, .. } | RunError::Endpoint { fault, .. } => fault,
        RunError::Script(setup) => &setup.fault,
        _ => return false,
    };
    fault.side == Side::Generator
}

/// The reason in one line: the text of a script's failure includes source lines.
fn described(why: &RunError) -> String {
    match why {
        RunError::Script(setup) => format!("the script failed: {}", setup.fault),
        why => why.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use model::{Fault, FaultKind};

    use super::*;

    fn unreachable(fault: Fault) -> RunError {
        let target = "http://127.0.0.1:1/".to_owned();
        RunError::Unreachable { target, fault }
    }

    #[test]
    fn a_target_that_no_longer_responds_has_failed_unless_headcount_has_no_port_left() {
        let refused = unreachable(Fault::target(FaultKind::Refused, "connection refused"));
        let ended = outcome(&refused, 1.5);
        assert!(ended.is_valid() && ended.failed());
        let own = unreachable(Fault::generator(FaultKind::Resources, "no port is left"));
        let no_port = outcome(&own, 1.5);
        assert!(!no_port.is_valid() && !no_port.failed());
        assert!(is_outcome(&refused, Purpose::Refine, true));
        assert!(!is_outcome(&refused, Purpose::Refine, false));
        assert!(is_outcome(&own, Purpose::Refine, false));
        let endpoint = RunError::Endpoint {
            url: "http://127.0.0.1:1/metrics".to_owned(),
            fault: Fault::target(FaultKind::TimedOut, "no response"),
        };
        assert!(is_outcome(&endpoint, Purpose::Recovery, true));
        assert!(!is_outcome(&endpoint, Purpose::Refine, true));
        assert!(outcome(&endpoint, 1.5).failed());
    }

    #[test]
    fn a_setup_that_fails_is_an_outcome_only_after_an_overload() {
        let refused = Fault::target(FaultKind::RateLimited, "status 429");
        let setup = RunError::Script(Box::new(refused.into()));
        assert!(is_cause(&setup) && outcome(&setup, 1.5).failed());
        assert!(is_outcome(&setup, Purpose::Recovery, true));
        assert!(is_outcome(&setup, Purpose::Explain, true));
        assert!(!is_outcome(&setup, Purpose::Refine, true));
    }
}
