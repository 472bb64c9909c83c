//! The view model: sections of text, lists and tables that terminal and Markdown share.

pub(crate) mod counts;
pub(crate) mod deliveries;
pub(crate) mod environment;
pub(crate) mod failures;
pub(crate) mod findings;
pub(crate) mod inconclusive;
pub(crate) mod levels;
pub(crate) mod mistakes;
pub(crate) mod pass_rate;
pub(crate) mod resources;
pub(crate) mod setup;
pub(crate) mod story;
pub(crate) mod target;
pub(crate) mod thresholds;
pub(crate) mod timings;
pub(crate) mod unpromised;
pub(crate) mod verdict;

use record::{Level, Load, Validity};
use stats::Histogram;

use crate::format::{percent, plural, rate};
use crate::table::Table;

/// One piece of a section.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    /// A paragraph, without markup.
    Text(String),
    /// Points, without markup.
    List(Vec<String>),
    /// Lines that are shown as they are.
    Code(String),
    /// A table.
    Table(Table),
}

/// A title and what stands under it.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) title: &'static str,
    pub(crate) blocks: Vec<Block>,
}

impl Section {
    /// A section, unless there is nothing in it.
    pub(crate) fn unless_empty(title: &'static str, blocks: Vec<Block>) -> Option<Self> {
        let has_content = |block: &Block| match block {
            Block::Text(text) | Block::Code(text) => !text.is_empty(),
            Block::List(points) => !points.is_empty(),
            Block::Table(table) => !table.is_empty(),
        };
        let blocks: Vec<Block> = blocks.into_iter().filter(has_content).collect();
        (!blocks.is_empty()).then_some(Self { title, blocks })
    }
}

/// How a level is called: by its users, or by its rate where that is what was planned.
pub(crate) fn label(load: &Load) -> String {
    match load.rate_per_s {
        Some(planned) => rate(planned),
        None => plural(load.users, "user"),
    }
}

/// How a level is called beside its figures: one that is questionable or invalid says so every time.
pub(crate) fn marked(level: &Level) -> String {
    let label = label(&level.load);
    match level.validity() {
        Validity::Valid => label,
        doubtful => format!("{label} ({})", doubtful.as_str()),
    }
}

/// `yes`, `questionable` or `INVALID`.
pub(crate) fn validity(level: &Level) -> String {
    match level.validity() {
        Validity::Valid => "yes".to_owned(),
        Validity::Questionable => "questionable".to_owned(),
        Validity::Invalid => "INVALID".to_owned(),
    }
}

/// What the column of error bounds means.
pub(crate) const ERROR: &str =
    "error: at p99 a time is at most so much too long (of fewer than 1,000: at the longest)";

/// By how much the level's response times and latencies may be too long at most, at the 99th percentile: late starts, and
/// several messages that were read at once and have the time of the last. Records of before know the reading only.
pub(crate) fn error_bound(level: &Level) -> Option<String> {
    let generator = &level.generator;
    let receipt = generator.receive_error.as_ref();
    let receipt = receipt.or(generator.read_delay.as_ref())?;
    let most = |times: &Histogram| stats::estimate(times, 0, 0.99).value().or(times.max());
    let bound = most(receipt)? + most(&generator.start_lag).unwrap_or_default();
    Some(format!("−{}", crate::format::duration(bound)))
}

/// How the level with this index is called.
pub(crate) fn label_at(levels: &[Level], index: usize) -> String {
    let level = levels.iter().find(|level| level.index == index);
    level.map_or_else(
        || format!("level {}", index + 1),
        |level| label(&level.load),
    )
}

/// What none of so many leaves possible. How many of them hang together is not seen where nothing failed; seconds are
/// taken to be independent of each other.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "whole seconds; `as` from a float saturates"
)]
fn at_most(trials: u64, level: &Level) -> Option<String> {
    let singly = percent(stats::zero_failures_bound(trials)? * 100.0);
    let seconds = level.phases.duration_s as u64;
    let bursts = stats::zero_failures_bound(seconds.min(trials)).filter(|bound| *bound < 1.0);
    let bursts = bursts.map(|bound| {
        let share = percent(bound * 100.0);
        format!(", at most {share} if whole seconds do")
    });
    let bursts = bursts.unwrap_or_default();
    Some(format!(
        "at most {singly} if each fails by itself{bursts} (95 % confidence)"
    ))
}
