//! Lines for the terminal that explain why deliveries are missing.

use format::{Tone, paint, wrap};
use record::Run;

use crate::section::deliveries;

/// Maximum number of reasons shown, and of lines per reason.
const SHOWN: usize = 4;
const LINES: usize = 2;

/// Returns the first reasons, in lines of at most `width` characters. Without a width, returns all reasons, uncut.
pub(crate) fn missing_deliveries(run: &Run, width: Option<usize>, colour: bool) -> Vec<String> {
    let reasons = deliveries::missing(run);
    let most = if width.is_some() {
        SHOWN
    } else {
        reasons.len()
    };
    let width = width.unwrap_or(usize::MAX);
    let mut lines = Vec::new();
    for (fate, reason) in reasons.iter().take(most) {
        let text = wrap(
            reason,
            width.saturating_sub(4 + fate.chars().count()),
            LINES,
        );
        let word = paint(fate, Tone::Bad, colour);
        lines.extend(text.iter().enumerate().map(|(number, text)| match number {
            0 => format!("  {word}: {text}"),
            _ => format!("    {text}"),
        }));
    }
    if reasons.len() > most {
        let more = format!("  and {} more in the full report", reasons.len() - most);
        lines.push(paint(&more, Tone::Quiet, colour));
    }
    lines
}
