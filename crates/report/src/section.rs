//! The view model that the terminal and Markdown renderers share: sections of text, lists and tables.

pub(crate) mod agents;
pub(crate) mod at_fault;
pub(crate) mod counts;
pub(crate) mod deliveries;
pub(crate) mod endless;
pub(crate) mod environment;
pub(crate) mod failures;
pub(crate) mod findings;
pub(crate) mod funnel;
pub(crate) mod hidden_losses;
pub(crate) mod inconclusive;
pub(crate) mod levels;
pub(crate) mod mistakes;
pub(crate) mod operations;
pub(crate) mod pass_rate;
pub(crate) mod resources;
pub(crate) mod setup;
pub(crate) mod status;
pub(crate) mod streams;
pub(crate) mod target;
pub(crate) mod thresholds;
pub(crate) mod timings;
pub(crate) mod verdict;

use format::{Table, duration, percent, plural, set_number, set_rate};
use model::Nanos;
use record::{Level, Load, Run, ThresholdResult, Validity};
use stats::Histogram;

/// A block of a section.
#[derive(Clone, Debug)]
pub(crate) enum Block {
    /// A paragraph of plain text.
    Text(String),
    /// List items in plain text.
    List(Vec<String>),
    /// Lines that are shown unchanged.
    Code(String),
    /// A table.
    Table(Table),
}

/// A titled list of blocks.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) title: &'static str,
    pub(crate) blocks: Vec<Block>,
}

impl Section {
    /// Creates a section. Returns `None` if all blocks are empty.
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

/// Returns the name of a level: its number of users, or the rate of an open load.
pub(crate) fn label(load: &Load) -> String {
    match load.rate_per_s {
        Some(planned) => set_rate(planned),
        None => plural(load.users, "user"),
    }
}

/// Returns the name of a level where no axis or column title says what the rate counts: `80 iterations/s`.
pub(crate) fn label_with_unit(load: &Load) -> String {
    match load.rate_per_s {
        Some(planned) => format!("{} iterations/s", set_number(planned)),
        None => label(load),
    }
}

/// Returns the name of a level for use beside its figures. A mark shows if the level is questionable or invalid.
pub(crate) fn marked(level: &Level) -> String {
    let label = label(&level.load);
    match level.validity() {
        Validity::Valid => label,
        doubtful => format!("{label} ({})", doubtful.as_str()),
    }
}

/// Returns `yes`, `questionable` or `INVALID`.
pub(crate) fn validity(level: &Level) -> String {
    match level.validity() {
        Validity::Valid => "yes".to_owned(),
        Validity::Questionable => "questionable".to_owned(),
        Validity::Invalid => "INVALID".to_owned(),
    }
}

/// Explains the column of error bounds.
pub(crate) const ERROR: &str =
    "error: at least 98 % of times are overstated by at most this much (below 1,000 samples: all)";

/// Returns the error bound of a level's response times and latencies: p99 of the start lag plus p99 of the receive-time
/// error. If there are too few samples for p99, the maximum replaces it.
///
/// Older records have no receive-time error, so the read delay is used.
pub(crate) fn error_bound(level: &Level) -> Option<String> {
    Some(format!("−{}", duration(overstated_by(level)?)))
}

/// Returns the maximum by which times of a level may be too long. See [`error_bound`].
pub(crate) fn overstated_by(level: &Level) -> Option<Nanos> {
    let generator = &level.generator;
    let receipt = generator.receive_error.as_ref();
    let receipt = receipt.or(generator.read_delay.as_ref())?;
    let most = |times: &Histogram| stats::estimate(times, 0, 0.99).value().or(times.max());
    Some(most(receipt)? + most(&generator.start_lag).unwrap_or_default())
}

/// Returns the results of the thresholds of a level.
pub(crate) fn results_of<'a>(
    run: &'a Run,
    level: &Level,
) -> impl Iterator<Item = &'a ThresholdResult> {
    let index = level.index;
    run.thresholds.iter().filter(move |one| one.level == index)
}

/// Returns the name of the level at `index`.
pub(crate) fn label_at(levels: &[Level], index: usize) -> String {
    named_at(levels, index, label)
}

/// Returns the name of the level at `index`, as [`label_with_unit`] does.
pub(crate) fn label_with_unit_at(levels: &[Level], index: usize) -> String {
    named_at(levels, index, label_with_unit)
}

fn named_at(levels: &[Level], index: usize, name: impl Fn(&Load) -> String) -> String {
    let level = levels.iter().find(|level| level.index == index);
    level.map_or_else(|| format!("level {}", index + 1), |level| name(&level.load))
}

/// Returns two upper bounds of a rate after `trials` trials without a failure.
///
/// Without failures, it is unknown how strongly they would be correlated. The second bound therefore treats whole
/// seconds as the independent trials.
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
        format!(", at most {share} if whole seconds fail together")
    });
    let bursts = bursts.unwrap_or_default();
    Some(format!(
        "the true share is at most {singly} if failures are independent{bursts} (95 % confidence)"
    ))
}
