//! sent = ok + failed + unfinished; failed = the sum of its kinds; a share = its count; a whole = its parts.

use crate::number::{percent, short};
use crate::{Desk, Figure, Level, Results, Row, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    name: "counts-do-not-add-up",
    says: "parts do not add up to their whole, or a percentage is not that of its counts",
    instead: "count every start once, and give each exactly one end: ok, failed by kind, or unfinished",
    check,
};

fn check(results: &Results, desk: &mut Desk<'_>) {
    for level in &results.levels {
        for row in level.all_rows() {
            ends(level, row, desk);
            kinds(level, row, desk);
            share(level, row, desk);
        }
        windows(level, desk);
    }
}

fn ends(level: &Level, row: &Row, desk: &mut Desk<'_>) {
    let counts = &row.counts;
    let (Some(sent), Some(ok)) = (&counts.sent, &counts.ok) else {
        return;
    };
    let parts: Vec<&Figure> = [Some(ok), counts.failed.as_ref(), counts.unfinished.as_ref()]
        .into_iter()
        .flatten()
        .collect();
    let (least, most) = (sum(&parts, Figure::low), sum(&parts, Figure::high));
    desk.checked();
    // What had not ended is often not told: too few is a gap, too many is not possible.
    let told = counts.failed.is_some();
    let (severity, what) = if least > sent.high() {
        (Severity::Impossible, "more ended than were started")
    } else if most < sent.low() && told && counts.unfinished.is_some() {
        (Severity::Impossible, "the ends do not add up to the starts")
    } else if most < sent.low() && told {
        (Severity::Doubtful, "some starts have no end in the figures")
    } else {
        return;
    };
    let words: Vec<String> = parts.iter().map(|part| short(part.value)).collect();
    desk.find(
        severity,
        (level.call(row), &[sent.at.as_str(), ok.at.as_str()]),
        what,
        format!(
            "{} = {}, started: {}",
            words.join(" + "),
            short(sum(&parts, |part| part.value)),
            short(sent.value)
        ),
    );
}

fn kinds(level: &Level, row: &Row, desk: &mut Desk<'_>) {
    let kinds: Vec<&Figure> = row.counts.failures.iter().map(|(_, count)| count).collect();
    let Some(failed) = row.counts.failed.as_ref().filter(|_| !kinds.is_empty()) else {
        return;
    };
    desk.checked();
    let (least, most) = (sum(&kinds, Figure::low), sum(&kinds, Figure::high));
    if least > failed.high() || most < failed.low() {
        desk.find(
            Severity::Impossible,
            (level.call(row), &[failed.at.as_str(), kinds[0].at.as_str()]),
            "the failures by kind do not add up to the failures",
            format!(
                "Σ of the kinds = {}, failed: {}",
                short(sum(&kinds, |kind| kind.value)),
                short(failed.value)
            ),
        );
    }
}

fn share(level: &Level, row: &Row, desk: &mut Desk<'_>) {
    let (Some(stated), Some((ok, sent))) = (&row.counts.success_percent, row.hits()) else {
        return;
    };
    if sent <= 0.0 {
        return;
    }
    desk.checked();
    let counted = 100.0 * ok / sent;
    if (counted - stated.value).abs() > stated.slack.max(1e-6) + 1e-9 {
        desk.find(
            Severity::Impossible,
            (level.call(row), &[stated.at.as_str(), row.at.as_str()]),
            format!("{} % success is not what was counted", short(stated.value)),
            format!("{} of {} = {}", short(ok), short(sent), percent(ok / sent)),
        );
    }
}

fn windows(level: &Level, desk: &mut Desk<'_>) {
    let Some(sent) = level
        .total
        .counts
        .sent
        .as_ref()
        .filter(|_| !level.windows.is_empty())
    else {
        return;
    };
    desk.checked();
    let parts: Vec<&Figure> = level.windows.iter().collect();
    if sum(&parts, Figure::low) > sent.high() || sum(&parts, Figure::high) < sent.low() {
        desk.find(
            Severity::Impossible,
            (&level.name, &[parts[0].at.as_str(), sent.at.as_str()]),
            "the windows do not add up to the whole",
            format!(
                "Σ of {} windows = {}, whole: {}",
                parts.len(),
                short(sum(&parts, |part| part.value)),
                short(sent.value)
            ),
        );
    }
}

fn sum(parts: &[&Figure], of: impl Fn(&Figure) -> f64) -> f64 {
    parts.iter().map(|part| of(part)).sum()
}
