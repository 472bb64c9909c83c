//! The lines about problems: failures, missing deliveries, broken checks and groups that diverged.

use format::{Tone, count, paint, share, visible};
use record::{Example, Run};

use super::code_frame;
use super::page::{NOTE, Page};
use crate::deliveries::missing_deliveries;
use crate::section::failures::{self, Group};
use crate::section::levels::Lead;
use crate::section::{deliveries, label};

/// The problems, and below them the bounds of what may still have gone wrong.
pub(super) fn lines(run: &Run, page: Page) -> Vec<String> {
    parts(run, page).concat()
}

/// The same lines, divided into parts that are shown whole or not at all.
pub(super) fn parts(run: &Run, page: Page) -> Vec<Vec<String>> {
    let mut parts = problem_parts(run, page);
    parts.extend(singly(bounds(run, page)));
    parts
}

pub(super) fn problems(run: &Run, page: Page) -> Vec<String> {
    problem_parts(run, page).concat()
}

fn problem_parts(run: &Run, page: Page) -> Vec<Vec<String>> {
    let mut parts = of_failures(run, page);
    let width = page.is_cut().then(|| page.beside(0));
    parts.extend(singly(missing_deliveries(run, width, page.colour)));
    parts.extend(singly(broken_checks(run, page)));
    parts.extend(singly(converged(run, page)));
    parts
}

fn singly(lines: Vec<String>) -> impl Iterator<Item = Vec<String>> {
    lines.into_iter().map(|line| vec![line])
}

/// Returns the upper bounds of the shares of failures and losses, for the last valid level without any.
fn bounds(run: &Run, page: Page) -> Vec<String> {
    let Some(last) = run.levels.iter().rfind(|level| !level.is_invalid()) else {
        return Vec::new();
    };
    let none_failed = failures::none_failed(last, Lead::of(run));
    let nothing = [none_failed, deliveries::none_lost(last)];
    let nothing = nothing.iter().flatten();
    let nothing = nothing.flat_map(|none| page.wrapped(none, 2, NOTE));
    nothing.map(|line| page.quiet(&line)).collect()
}

/// Lists the failures by kind, each with its first example.
fn of_failures(run: &Run, page: Page) -> Vec<Vec<String>> {
    let groups = failures::groups(run);
    let mut parts: Vec<Vec<String>> = Vec::new();
    if !groups.is_empty() {
        parts.push(vec![page.title("Failures")]);
        parts.extend(groups.iter().flat_map(|group| failure(group, page)));
    }
    parts
}

fn broken_checks(run: &Run, page: Page) -> Vec<String> {
    let mut lines = Vec::new();
    for level in &run.levels {
        let checks = level.measured.checks.iter();
        for (name, check) in checks.filter(|(_, check)| check.failed > 0) {
            let word = paint("check", Tone::Bad, page.colour);
            let broken = share(check.failed, check.passed + check.failed);
            let at = label(&level.load);
            let rest = format!(": {broken} failed at {at}");
            let name = page.cut_name(name, "  check: ".len() + rest.chars().count());
            lines.push(format!("  {word}: {name}{rest}"));
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
            let rest = format!(": {converged} groups converged at {at}{rest}");
            let name = page.cut_name(name, 2 + rest.chars().count());
            lines.push(paint(&format!("  {name}{rest}"), tone, page.colour));
        }
    }
    lines
}

/// Returns the lines of one kind of failure, and the lines of its code frame, which says nothing without its marked line.
fn failure(group: &Group<'_>, page: Page) -> [Vec<String>; 2] {
    let side = group.side.to_string();
    let (kind, counts) = (group.kind.to_string(), group.counts());
    let around = "  : , : ".len() + side.len() + kind.len() + counts.chars().count();
    let what = page.cut_name(group.what, around);
    let head = page.cut_to(
        &format!("{kind}, {what}: {counts}"),
        "  : ".len() + side.len(),
    );
    let side = paint(&side, Tone::Bad, page.colour);
    let mut lines = vec![format!("  {side}: {head}")];
    lines.extend(first(group.first, page));
    let frame = group.first.frame.iter();
    let frame = frame.flat_map(|frame| code_frame::fitted(frame, page.beside(4)));
    let frame = frame.take(5);
    let frame = frame.map(|line| paint(&format!("    {line}"), Tone::Quiet, page.colour));
    [lines, frame.collect()]
}

/// Formats the first example. A long detail must not hide which user failed, and where. If both leave too little room
/// for each other, they are on two lines.
fn first(example: &Example, page: Page) -> Vec<String> {
    const WORD: &str = "    first: ";
    const READABLE: usize = 60;
    let circumstances = format!("({})", visible(&failures::circumstances(example)));
    let around = WORD.len() + 1 + circumstances.chars().count();
    let detail = example.detail.chars().count();
    if page.beside(around) >= detail.min(READABLE) {
        let detail = page.cut_to(&example.detail, around);
        return vec![format!("{WORD}{detail} {circumstances}")];
    }
    let indent = " ".repeat(WORD.len());
    let circumstances = page.cut_to(&circumstances, WORD.len());
    vec![
        format!("{WORD}{}", page.cut_to(&example.detail, WORD.len())),
        format!("{indent}{circumstances}"),
    ]
}
