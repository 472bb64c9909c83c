//! The causes that limit the target, with evidence, and the levels whose limit is not the target's capacity.

use format::share;
use model::FaultKind;
use record::{Cause, Finding, Level, Run};

use super::{Block, Section, label, label_at};
use crate::words;

/// Share of refused requests above which a level is reported.
const WORTH_TELLING: f64 = 0.01;

/// One line of a finding, and the word that introduces it.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) word: &'static str,
    pub(crate) text: String,
}

/// Formats a finding of a run: the cause and the levels that show it, its evidence, open questions and next steps.
pub(crate) fn lines(run: &Run, finding: &Finding) -> Vec<Line> {
    let levels: Vec<String> = finding
        .levels
        .iter()
        .map(|&level| label_at(&run.levels, level))
        .collect();
    let at = match levels.as_slice() {
        [one] => format!(" (at {one})"),
        [first, .., last] => format!(" (at {first} to {last})"),
        [] => String::new(),
    };
    with_head(finding, &at)
}

/// Formats a finding without its levels.
pub(crate) fn reasons(finding: &Finding) -> Vec<Line> {
    with_head(finding, "")
}

fn with_head(finding: &Finding, at: &str) -> Vec<Line> {
    let head = Line {
        word: "",
        text: format!(
            "{}{at}; confidence: {}",
            words::finding::sentence(finding),
            finding.confidence.as_str()
        ),
    };
    let line = |word: &'static str| move |text: String| Line { word, text };
    let evidence = finding.evidence.iter().map(words::finding::evidence);
    let unknown = finding.unknown.iter().map(words::finding::unknown);
    let advice = finding.advice.iter().map(words::finding::advice);
    let mut lines = vec![head];
    lines.extend(evidence.map(line("evidence")));
    lines.extend(unknown.map(line("unknown")));
    lines.extend(advice.map(line("next step")));
    lines
}

/// Reports a level if most of its failures were responses with status 429.
pub(crate) fn refused(run: &Run, level: &Level) -> Option<String> {
    let all = level.measured.requests.values();
    let (asked, failed) = all.fold((0, 0), |(asked, failed), one| {
        (asked + one.count, failed + one.failed)
    });
    let of_limit = level.measured.failures.iter();
    let of_limit = of_limit
        .filter(|failure| failure.kind == FaultKind::RateLimited && failure.what != "iteration");
    let refused: u64 = of_limit.map(|failure| failure.count).sum();
    let tells = asked > 0 && refused * 2 > failed && refused as f64 > asked as f64 * WORTH_TELLING;
    let (at, part) = (label(&level.load), share(refused, asked));
    let is_known = run
        .findings
        .iter()
        .filter(|finding| matches!(finding.cause, Cause::RateLimiter(_)))
        .any(|finding| finding.limits.contains(&level.index));
    let refusals = format!("{part} requests got status 429 (too many requests)");
    tells.then(|| {
        if is_known {
            format!("the rate limiter was the limit at {at}, not the target's capacity: {refusals}")
        } else {
            format!("most failures at {at} were refusals, but no rate limit was found: {refusals}")
        }
    })
}

/// Builds the full section.
pub(crate) fn section(run: &Run) -> Option<Section> {
    let mut blocks = Vec::new();
    for finding in &run.findings {
        let mut lines = lines(run, finding).into_iter();
        let head = lines.next().map(|head| head.text).unwrap_or_default();
        blocks.push(Block::Text(format!(
            "{}: {head}",
            words::finding::name(finding)
        )));
        let points = lines.map(|line| format!("{}: {}", line.word, line.text));
        blocks.push(Block::List(points.collect()));
    }
    Section::unless_empty("Findings", blocks)
}
