//! The first lines of the page: what was tested, when, and the verdict.

use format::{Tone, escape_html, plural, shorten, span};
use record::Run;

use crate::section::verdict::headline;

/// Longest first sentence that is shown as a heading. A longer one would fill the first screen.
const HEADING: usize = 110;
/// Longest address of the target in the first line.
const TARGET: usize = 60;
/// Longest version of the target in the first line.
const VERSION: usize = 24;

/// Returns the title of the page.
pub(super) fn title(run: &Run) -> String {
    let said = headline(run);
    let (heading, _) = divided(&said.sentence);
    format!("{}{heading} · {} · headcount", said.verdict, name(run))
}

fn name(run: &Run) -> &str {
    let path = run.script.path.as_str();
    let name = path.rsplit('/').next().unwrap_or(path);
    if name.is_empty() { "a run" } else { name }
}

/// Returns the line above the verdict: the program, the script, the target, the time and the machine.
pub(super) fn bar(run: &Run) -> String {
    let machine = &run.machine;
    let cores = machine.cores.map(|cores| plural(u64::from(cores), "core"));
    let facts = [
        Some(shorten(&run.target, TARGET)).filter(|target| !target.is_empty()),
        version(run),
        started(run),
        took(run),
        machine.cpu.clone(),
        cores,
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    format!(
        "<header class=\"bar\"><b>headcount</b><span class=\"script\">{}</span><span class=\"host\">{}</span>\
         <span class=\"grow\"></span><span id=\"controls\"></span></header>",
        escape_html(name(run)),
        escape_html(&facts.join(" · "))
    )
}

/// Names the version of the target. A long one, such as the hash of a commit, is shortened.
fn version(run: &Run) -> Option<String> {
    let version = run.target_version.as_ref()?;
    Some(format!("target {}", shorten(version, VERSION)))
}

/// Formats the start without its fraction of a second: `2026-11-22 13:24 UTC`.
fn started(run: &Run) -> Option<String> {
    let (date, time) = run.started_at.split_once('T')?;
    Some(format!("{date} {} UTC", time.get(..5)?))
}

/// Formats the time of all levels.
fn took(run: &Run) -> Option<String> {
    let levels = run.levels.iter();
    let total: f64 = levels.map(|level| level.phases.total_s()).sum();
    (total > 0.0).then(|| span(total.round().max(1.0)))
}

/// Returns the verdict: a shape, the first sentence as a heading, and the rest as a paragraph.
pub(super) fn verdict(run: &Run) -> String {
    let said = headline(run);
    let (heading, rest) = divided(&said.sentence);
    let (tone, glyph) = match said.tone {
        Tone::Good => ("good", HELD),
        Tone::Bad => ("bad", FAILED),
        _ => ("doubtful", UNSURE),
    };
    let rest = Some(rest).filter(|rest| !rest.is_empty());
    let rest = rest.map_or(String::new(), |rest| {
        format!("<p>{}</p>", escape_html(rest))
    });
    let long = if heading.chars().count() > HEADING {
        " class=\"long\""
    } else {
        ""
    };
    format!(
        "<section class=\"verdict {tone}\" aria-label=\"Verdict\"><svg class=\"glyph\" viewBox=\"0 0 40 40\" \
         aria-hidden=\"true\">{glyph}</svg><div><h1{long}><em>{}</em>{}</h1>{rest}</div></section>",
        said.verdict,
        escape_html(heading)
    )
}

/// Divides the text after its first sentence, which loses its full stop.
fn divided(text: &str) -> (&str, &str) {
    let ends = text.match_indices(". ").find(|(at, _)| {
        let next = text[at + 2..].chars().next();
        next.is_some_and(char::is_uppercase)
    });
    let (first, rest) = ends.map_or((text, ""), |(at, _)| (&text[..at], &text[at + 2..]));
    (first.strip_suffix('.').unwrap_or(first), rest)
}

// Verdicts differ in shape as well as in colour: circle, octagon, diamond.
const HELD: &str =
    "<circle cx=\"20\" cy=\"20\" r=\"18\"/><path class=\"sign\" d=\"M12 20.5l5.5 5.5L28.5 14.5\"/>";
const FAILED: &str = "<path d=\"M12.6 2h14.8L38 12.6v14.8L27.4 38H12.6L2 27.4V12.6z\"/>\
    <path class=\"sign\" d=\"M14 14l12 12M26 14L14 26\"/>";
const UNSURE: &str = "<path d=\"M20 1.5L38.5 20 20 38.5 1.5 20z\"/>\
    <path class=\"sign\" d=\"M15.5 16.2c0-2.6 2-4.3 4.6-4.3s4.5 1.7 4.5 4.1c0 3.4-4.4 3.5-4.4 7\"/>\
    <path class=\"sign\" d=\"M20.1 28.2v.1\"/>";

#[cfg(test)]
mod tests {
    use super::divided;

    #[test]
    fn the_first_sentence_ends_at_a_full_stop_before_a_capital() {
        let text = " at 5 users: p95 < 1.5 s, e.g. slow. Every threshold held at 2 users. Invalid: 9 users.";
        let (first, rest) = divided(text);
        assert_eq!(first, " at 5 users: p95 < 1.5 s, e.g. slow");
        assert_eq!(rest, "Every threshold held at 2 users. Invalid: 9 users.");
        assert_eq!(
            divided(": nothing was measured."),
            (": nothing was measured", "")
        );
    }
}
