//! The lines about problems: failures, missing deliveries, broken checks and groups that diverged.

use format::{Tone, count, paint, share};
use record::Run;

use super::page::{NOTE, Page};
use crate::deliveries::missing_deliveries;
use crate::section::failures::{self, Group};
use crate::section::levels::Lead;
use crate::section::{deliveries, label};

pub(super) fn lines(run: &Run, page: Page) -> Vec<String> {
    let mut lines = of_failures(run, page);
    lines.extend(missing_deliveries(
        run,
        page.is_cut().then(|| page.beside(10)),
        page.colour,
    ));
    lines.extend(broken_checks(run, page));
    lines.extend(converged(run, page));
    let Some(last) = run.levels.iter().rfind(|level| !level.is_invalid()) else {
        return lines;
    };
    let none_failed = failures::none_failed(last, Lead::of(run));
    let nothing = [none_failed, deliveries::none_lost(last)];
    let nothing = nothing.iter().flatten();
    let nothing = nothing.flat_map(|none| page.wrapped(none, 2, NOTE));
    lines.extend(nothing.map(|line| page.quiet(&line)));
    lines
}

/// Lists the failures by kind, each with its first example.
pub(super) fn of_failures(run: &Run, page: Page) -> Vec<String> {
    let groups = failures::groups(run);
    let mut lines: Vec<String> = Vec::new();
    if !groups.is_empty() {
        lines.push(page.title("Failures"));
        lines.extend(groups.iter().flat_map(|group| failure(group, page)));
    }
    lines
}

fn broken_checks(run: &Run, page: Page) -> Vec<String> {
    let mut lines = Vec::new();
    for level in &run.levels {
        let checks = level.measured.checks.iter();
        for (name, check) in checks.filter(|(_, check)| check.failed > 0) {
            let word = paint("check", Tone::Bad, page.colour);
            let broken = share(check.failed, check.passed + check.failed);
            let at = label(&level.load);
            lines.push(format!(
                "  {word}: {}: {broken} failed at {at}",
                page.cut_text(name)
            ));
        }
    }
    lines
}

/// Lists, for each level and user state, how many groups converged, diverged or are unknown.
fn converged(run: &Run, page: Page) -> Vec<String> {
    let mut lines = Vec::new();
    for level in &run.levels {
        for (name, all) in &level.measured.converged {
            let at = label(&level.load);
            let converged = share(all.converged, all.groups());
            let rest = match (all.diverged, all.unknown) {
                (0, 0) => String::new(),
                (diverged, 0) => format!("; {} diverged", count(diverged)),
                (0, unknown) => format!("; {} unknown", count(unknown)),
                (diverged, unknown) => {
                    format!("; {} diverged, {} unknown", count(diverged), count(unknown))
                }
            };
            let tone = if all.diverged > 0 {
                Tone::Bad
            } else {
                Tone::Quiet
            };
            let line = format!(
                "  {}: {converged} groups converged at {at}{rest}",
                page.cut_text(name)
            );
            lines.push(paint(&line, tone, page.colour));
        }
    }
    lines
}

fn failure(group: &Group<'_>, page: Page) -> Vec<String> {
    let side = paint(&group.side.to_string(), Tone::Bad, page.colour);
    let head = format!("{}, {}: {}", group.kind, group.what, group.counts());
    let example = group.first;
    // A long detail must not hide which user failed, and where.
    let circumstances = failures::circumstances(example);
    let around = 4 + "first:  ()".len() + circumstances.chars().count();
    let detail = page.cut_to(&example.detail, around);
    let detail = format!("first: {detail} ({circumstances})");
    let mut lines = vec![
        format!("  {side}: {}", page.cut_text(&head)),
        format!("    {}", page.cut_to(&detail, 4)),
    ];
    let frame = example.frame.iter().flat_map(|frame| frame.lines());
    lines.extend(
        frame
            .take(5)
            .map(|line| paint(&format!("    {line}"), Tone::Quiet, page.colour)),
    );
    lines
}
