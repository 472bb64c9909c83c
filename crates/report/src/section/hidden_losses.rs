//! Warns of latency thresholds that held although deliveries were lost and no threshold covers losses. A lost delivery
//! has no latency, so these thresholds miss it.

use format::{plural, share};
use record::{Deliveries, Level, Limits, Run, ThresholdResult};

use super::levels::all_deliveries;
use super::{label, results_of};

const ALL: &str = "deliveries";

/// Returns one remark for each subject of such thresholds.
pub(crate) fn remarks(run: &Run) -> Vec<String> {
    let mut told: Vec<(&str, String, u64)> = Vec::new();
    for level in &run.levels {
        for result in results_of(run, level).filter(|result| is_blind(run, level, result)) {
            let metric = result.metric.as_str();
            match told.iter_mut().find(|(known, ..)| *known == metric) {
                Some((_, _, more)) => *more += 1,
                None => told.push((metric, remark(level, result), 0)),
            }
        }
    }
    let more = |more| match more {
        0 => String::new(),
        more => format!("; the same applies to {}", plural(more, "other threshold")),
    };
    told.into_iter()
        .map(|(_, remark, others)| remark + &more(others))
        .collect()
}

/// Whether a latency threshold held although deliveries were lost, and no threshold covers losses.
fn is_blind(run: &Run, level: &Level, result: &ThresholdResult) -> bool {
    let kept = result.held == Some(true) && result.limits == Some(Limits::Latency);
    let lost = of(level, &result.metric).is_some_and(|all| all.lost_count() > 0);
    let covers_losses = |other: &ThresholdResult| {
        (other.metric == result.metric || other.metric == ALL)
            && other.limits == Some(Limits::Losses)
    };
    kept && lost && !results_of(run, level).any(covers_losses)
}

fn of(level: &Level, metric: &str) -> Option<Deliveries> {
    let name = metric
        .strip_prefix("delivery(")
        .and_then(|rest| rest.strip_suffix(')'));
    match name {
        Some(name) => level.measured.deliveries.get(name).cloned(),
        None => (metric == ALL).then(|| all_deliveries(level)),
    }
}

fn remark(level: &Level, result: &ThresholdResult) -> String {
    let all = of(level, &result.metric).unwrap_or_default();
    format!(
        "{} {} held at {} for the deliveries that arrived, but {} were lost and no threshold \
         covers losses: add `lost == 0` or `delivered >= 99.9%`",
        result.metric,
        result.condition,
        label(&level.load),
        share(all.lost_count(), all.judged())
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const P95: (&str, Limits) = ("p95 < 20ms", Limits::Latency);

    fn run(metric: &str, conditions: &[(&str, Limits)], lost: u64) -> Run {
        let mut level = Level::default();
        level.load.users = 10;
        let said = Deliveries {
            expected: 100,
            delivered: 100 - lost,
            lost: [(model::LossReason::ReceiverDisconnected, lost)].into(),
            ..Deliveries::default()
        };
        level.measured.deliveries.insert("said".to_owned(), said);
        let result = |&(condition, limits): &(&str, Limits)| ThresholdResult {
            level: 0,
            metric: metric.to_owned(),
            condition: condition.to_owned(),
            limits: Some(limits),
            observed: None,
            held: Some(true),
            ..ThresholdResult::default()
        };
        Run {
            levels: vec![level],
            thresholds: conditions.iter().map(result).collect(),
            ..Run::default()
        }
    }

    #[test]
    fn a_latency_that_held_beside_losses_is_remarked() {
        for metric in ["delivery(said)", "deliveries"] {
            let remarks = remarks(&run(metric, &[P95, ("max < 1s", Limits::Latency)], 50));
            assert_eq!(remarks.len(), 1);
            let text = &remarks[0];
            assert!(text.contains("50 of 100 (50.0 %) were lost"), "{text}");
            assert!(
                text.ends_with("; the same applies to 1 other threshold"),
                "{text}"
            );
        }
    }

    #[test]
    fn nothing_is_remarked_where_nothing_was_lost_or_losses_are_judged() {
        let none = |conditions: &[(&str, Limits)], lost| {
            assert_eq!(
                remarks(&run("delivery(said)", conditions, lost)),
                Vec::<String>::new()
            );
        };
        none(&[P95], 0);
        none(&[P95, ("lost < 60%", Limits::Losses)], 50);
        none(&[("count > 5", Limits::Other)], 50);
        assert!(remarks(&run("requests", &[P95], 50)).is_empty());
    }
}
