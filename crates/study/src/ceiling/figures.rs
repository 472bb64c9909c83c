//! The results of the searches, for the templates.

use minijinja::context;
use minijinja::value::Value;

use super::{CeilingRun, Ceilings, QUOTA_CORES};
use crate::causes;

/// The results of the searches.
pub(crate) fn figures(searches: &Ceilings) -> Value {
    let quota = searches.with_quota.as_ref().map(|quota| {
        let (run, obstacle) = match quota {
            Ok(run) => (Some(of_run(run)), None),
            Err(why) => (None, Some(why)),
        };
        context! { cores => QUOTA_CORES, run, obstacle }
    });
    context! { quota, ..of_run(&searches.on_cores) }
}

fn of_run(search: &CeilingRun) -> Value {
    let answer = &search.answer;
    context! {
        subject => search.words.0,
        unit => search.words.1,
        load => answer.stable.map(|stable| stable.load),
        low => answer.stable.map(|stable| stable.interval.low),
        high => answer.stable.map(|stable| stable.interval.high),
        repetitions => answer.stable.map(|stable| stable.repetitions),
        at_least => answer.at_least,
        holds => answer.holds,
        fails => answer.fails,
        generator => answer.generator.as_ref().map(|limit| context! {
            load => limit.load,
            because => limit.because.iter().map(report::issue_sentence).collect::<Vec<_>>(),
        }),
        seconds => answer.spent_s,
        thresholds => &search.thresholds,
        failure => &search.failure,
        causes => causes::of_findings(&search.findings),
    }
}
