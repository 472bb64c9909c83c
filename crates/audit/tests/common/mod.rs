//! Publishes data sets, with every common definition of a percentile.

#![allow(dead_code, reason = "each test uses its part")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "ranks of a few samples"
)]

use audit::{Figure, Row, Times};

/// A definition of percentiles of ascending samples.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Definition {
    /// One of the nine definitions of Hyndman and Fan, 1 to 9. 1 is the nearest rank; k6 and spreadsheets use 7.
    HyndmanFan(u8),
    /// The plain index `floor(n·q)` of the sorted list, used by oha and hey.
    Index,
    /// HDR histogram: the value of rank `floor(n·q + 1/2)`, rounded up to three digits.
    Hdr,
}

/// The rounding of printed figures.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Rounding {
    Nearest,
    Down,
    Up,
}

pub(crate) fn percentile(sorted: &[f64], q: f64, definition: Definition) -> f64 {
    let n = sorted.len() as f64;
    let at = |rank: f64| sorted[(rank.clamp(1.0, n) as usize) - 1];
    match definition {
        Definition::Index => at((n * q).floor() + 1.0),
        Definition::Hdr => three_digits(at((n * q + 0.5).floor())),
        Definition::HyndmanFan(1) => at((n * q).ceil()),
        Definition::HyndmanFan(2) => {
            let h = n * q;
            if h.fract() == 0.0 {
                f64::midpoint(at(h), at(h + 1.0))
            } else {
                at(h.ceil())
            }
        }
        Definition::HyndmanFan(3) => {
            let h = n * q - 0.5;
            let even = h.fract() == 0.0 && h.rem_euclid(2.0) == 0.0;
            if even { at(h) } else { at(h.floor() + 1.0) }
        }
        Definition::HyndmanFan(kind) => {
            let m = match kind {
                4 => 0.0,
                5 => 0.5,
                6 => q,
                7 => 1.0 - q,
                8 => (q + 1.0) / 3.0,
                _ => q / 4.0 + 0.375,
            };
            let h = n * q + m;
            let part = h - h.floor();
            (1.0 - part) * at(h.floor()) + part * at(h.floor() + 1.0)
        }
    }
}

fn three_digits(value: f64) -> f64 {
    if value <= 0.0 {
        return 0.0;
    }
    let unit = 10f64.powf(value.log10().floor() - 2.0);
    (value / unit).ceil() * unit
}

/// Prints a figure in multiples of `step`. With 0, all digits are printed.
pub(crate) fn printed(value: f64, step: f64, rounding: Rounding) -> Figure {
    if step == 0.0 {
        return Figure::exact(value, "printed");
    }
    let units = value / step;
    let units = match rounding {
        Rounding::Nearest => units.round(),
        Rounding::Down => units.floor(),
        Rounding::Up => units.ceil(),
    };
    Figure::rounded(units * step, step, "printed")
}

/// The published figures of these samples.
pub(crate) fn published(
    samples: &[f64],
    qs: &[f64],
    definition: Definition,
    (step, rounding): (f64, Rounding),
) -> Row {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let print = |value: f64| Some(printed(value, step, rounding));
    let n = sorted.len() as f64;
    let mean = sorted.iter().sum::<f64>() / n;
    let variance = sorted
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / (n - 1.0).max(1.0);
    let mut percentiles: Vec<(f64, Figure)> = qs
        .iter()
        .map(|q| {
            (
                *q,
                printed(percentile(&sorted, *q, definition), step, rounding),
            )
        })
        .collect();
    percentiles.sort_by(|one, other| one.0.total_cmp(&other.0));
    if matches!(definition, Definition::Hdr) {
        // HDR rounds up to three digits.
        for (_, time) in &mut percentiles {
            time.slack += 0.011 * time.value;
        }
    }
    let mut row = Row {
        name: "row".to_owned(),
        times: Times {
            min: print(sorted[0]),
            mean: print(mean),
            stdev: print(variance.sqrt()),
            max: print(sorted[sorted.len() - 1]),
            percentiles,
            ..Times::default()
        },
        ..Row::default()
    };
    row.counts.sent = Some(Figure::exact(n, "counted"));
    row
}
