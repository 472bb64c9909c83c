//! The fit of the Universal Scalability Law in words.

use capacity::{FittedScalability, Scalability, ScalabilityRefusal};
use format::{count, number, percent, rate};
use stats::Parameter;

/// The lines below the ceilings.
pub(super) fn lines(scalability: &Scalability) -> Vec<String> {
    match scalability {
        Scalability::Fitted(fitted) => of_fit(fitted),
        Scalability::Refused(refusal) => {
            vec![format!(
                "  scalability: not fitted, because {}",
                why(refusal)
            )]
        }
    }
}

/// What the fit says about the throughput.
pub(crate) fn meaning(fitted: &FittedScalability) -> String {
    match (fitted.peak_in_flight(), fitted.limit_per_s()) {
        (Some(peak), _) => format!(
            "throughput is highest at {} in flight ({}), and falls beyond",
            number(peak),
            rate(fitted.usl.throughput(peak))
        ),
        (None, Some(limit)) => format!("throughput approaches {}", rate(limit)),
        (None, None) => "contention is not certain".to_owned(),
    }
}

fn of_fit(fitted: &FittedScalability) -> Vec<String> {
    let usl = &fitted.usl;
    let meaning = meaning(fitted);
    vec![
        format!(
            "  scalability (Universal Scalability Law, {} trials with {} to {} operations in flight): {meaning}",
            count(fitted.levels as u64),
            number(fitted.least_in_flight),
            number(fitted.most_in_flight),
        ),
        format!(
            "    one in flight λ {}/s · contention σ {} · coherence κ {} (95 % intervals)",
            parameter(usl.lambda),
            parameter(usl.sigma),
            parameter(usl.kappa)
        ),
    ]
}

/// A parameter with its interval: `0.052 (0.041 to 0.063)`. Below zero, a parameter has no meaning.
pub(crate) fn parameter(parameter: Parameter) -> String {
    let [value, low, high] =
        [parameter.value, parameter.low, parameter.high].map(|one| number(one.max(0.0)));
    format!("{value} ({low} to {high})")
}

fn why(refusal: &ScalabilityRefusal) -> String {
    match *refusal {
        ScalabilityRefusal::TooFewLoads { loads: 0, .. } => {
            "a fit needs valid trials with requests or round trips, of which at most 5 % failed, and there were none"
                .to_owned()
        }
        ScalabilityRefusal::TooFewLoads { loads, needed } => {
            format!(
                "a fit needs {needed} loads that differ in operations in flight, and {loads} were measured"
            )
        }
        ScalabilityRefusal::NarrowRange { times, needed } => format!(
            "the largest load is only {} times the smallest (a fit needs {})",
            number(times),
            number(needed)
        ),
        ScalabilityRefusal::Linear { in_flight } => format!(
            "throughput grows with the load up to the largest (an average of {} operations in flight)",
            number(in_flight)
        ),
        ScalabilityRefusal::PoorFit {
            error_percent,
            limit_percent,
        } => format!(
            "the Universal Scalability Law misses the throughputs by {} (limit {})",
            percent(error_percent),
            percent(limit_percent)
        ),
        ScalabilityRefusal::Plateau { per_s, in_flight } => format!(
            "throughput stays at {} up to {} operations in flight, and the Universal Scalability Law has no such plateau",
            rate(per_s),
            number(in_flight)
        ),
        ScalabilityRefusal::Superlinear => {
            "throughput per operation in flight grows with the load, as it does while a target warms up".to_owned()
        }
    }
}
