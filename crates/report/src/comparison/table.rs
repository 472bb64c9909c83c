//! The table of one level.

use comparison::{ComparedFigure, Effect, Judgement, Missing, Scale};
use format::{Column, Row, Table, Tone, count, duration, number, rate};
use model::Nanos;
use plan::Aggregate;

use super::compared::Compared;

/// Sign of a number that is below zero, as typeset.
const MINUS: char = '−';

/// The smallest bound that is written. Runs without any spread would otherwise be the same within 2.3e-7 %.
const LEAST_SHOWN: f64 = 0.01;

/// The figures of a level: those of interest, and those that differ.
pub(super) fn of(compared: Compared<'_>, level: usize) -> Table {
    let columns = vec![
        Column::name("figure"),
        Column::number("base"),
        Column::number("new"),
        Column::number("change"),
        Column::number("95 % interval").minor(1),
        Column::words("judgement"),
    ];
    let figures = compared.comparison.figures.iter();
    let of_level = figures.filter(|one| one.figure.level == level);
    let shown = of_level.filter(|one| is_shown(compared, one));
    Table::new(columns, shown.map(|one| row(compared, one)).collect())
}

/// Whether a figure is listed. Without thresholds and conditions, all percentiles and failures are of interest.
pub(super) fn is_shown(compared: Compared<'_>, one: &ComparedFigure) -> bool {
    let figures = &compared.comparison.figures;
    let nothing_is_primary = figures.iter().all(|one| !one.is_primary);
    compared.all || one.is_primary || nothing_is_primary || one.judgement == Judgement::Different
}

fn row(compared: Compared<'_>, one: &ComparedFigure) -> Row {
    let figure = &one.figure;
    let value = |value: f64| {
        value
            .is_finite()
            .then(|| value_text(figure.aggregate, value))
    };
    Row {
        cells: vec![
            Some(format!("{} {}", figure.subject, figure.aggregate)),
            value(one.base),
            value(one.new),
            change(one),
            one.effect.map(|effect| interval(effect, figure.scale())),
            Some(judgement(compared, one)),
        ],
        tone: match one.judgement {
            Judgement::Different if is_worse(one) => Tone::Bad,
            Judgement::Different => Tone::Good,
            _ => Tone::Plain,
        },
    }
}

/// Whether a figure that differs became worse.
pub(super) fn is_worse(one: &ComparedFigure) -> bool {
    (one.new > one.base) == one.figure.more_is_worse()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positive; `as` from a float saturates"
)]
fn value_text(aggregate: Aggregate, value: f64) -> String {
    match aggregate {
        Aggregate::Percentile(_) => duration(Nanos(value as u64)),
        Aggregate::Rate => rate(value),
        Aggregate::Memory => format::mean_bytes(value),
        Aggregate::Cpu => format!("{} %", number(value * 100.0)),
        _ if value == 0.0 => "0".to_owned(),
        _ => format!("{} %", number(value * 100.0)),
    }
}

/// The change, as the runs show it.
fn change(one: &ComparedFigure) -> Option<String> {
    let scale = one.figure.scale();
    let by_values = match scale {
        Scale::Ratio => one.new / one.base - 1.0,
        Scale::Share => one.new - one.base,
    };
    let change = one.effect.map_or(by_values, |effect| effect.estimate);
    change.is_finite().then(|| signed(change, scale))
}

/// Formats a change with its sign: `+4.7 %`, or `+0.12 points` for shares.
pub(super) fn signed(change: f64, scale: Scale) -> String {
    format!("{} {}", signed_number(change), unit(scale))
}

fn signed_number(change: f64) -> String {
    let percent = change * 100.0;
    if percent.abs() < LEAST_SHOWN / 100.0 {
        return "0".to_owned();
    }
    let digits = number(percent.abs());
    let sign = if percent > 0.0 { '+' } else { MINUS };
    format!("{sign}{digits}")
}

fn unit(scale: Scale) -> &'static str {
    match scale {
        Scale::Ratio => "%",
        Scale::Share => "points",
    }
}

/// Formats the ends of the interval: `+4.5 to +4.9 %`.
pub(super) fn interval(effect: Effect, scale: Scale) -> String {
    format!(
        "{} to {} {}",
        signed_number(effect.low),
        signed_number(effect.high),
        unit(scale)
    )
}

fn judgement(compared: Compared<'_>, one: &ComparedFigure) -> String {
    match one.judgement {
        Judgement::Different if is_worse(one) => "different: worse".to_owned(),
        Judgement::Different => "different: better".to_owned(),
        Judgement::Same => {
            let bound = one
                .effect
                .map_or(one.margin, |effect| effect.low.abs().max(effect.high.abs()));
            format!(
                "same within {} {}",
                number((bound * 100.0).max(LEAST_SHOWN)),
                unit(one.figure.scale())
            )
        }
        Judgement::CannotTell => cannot_tell(compared, one),
        Judgement::NotCompared { missing } => match missing {
            Missing::NotMeasured => "not measured in every run".to_owned(),
            Missing::TooFewSamples => "too few samples".to_owned(),
            Missing::AmongTimeouts => "among timeouts".to_owned(),
        },
    }
}

fn cannot_tell(compared: Compared<'_>, one: &ComparedFigure) -> String {
    let Some(effect) = one.effect else {
        return "cannot tell".to_owned();
    };
    let comparison = compared.comparison;
    let runs = comparison.base_runs.min(comparison.new_runs);
    let more = |needed: usize| needed.saturating_sub(runs).max(1) as u64;
    let [likely, low, high] =
        [effect.needed.likely, effect.needed.low, effect.needed.high].map(more);
    if comparison.method == comparison::Method::History {
        return "cannot tell".to_owned();
    }
    format!(
        "cannot tell: {} each ({} to {})",
        format::plural(likely, "more run"),
        count(low),
        count(high)
    )
}
