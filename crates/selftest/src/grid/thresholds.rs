use super::dice::Dice;
use super::kind::{Kind, Shape};
use super::parameters::Parameters;

/// A threshold of a cell, in a form that the log can decide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Threshold {
    pub(crate) of: Of,
    pub(crate) figure: Figure,
    pub(crate) limit: f64,
}

/// The operations that a threshold refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Requests,
    RoundTrips,
    Iterations,
    Checks,
    Deliveries,
}

/// The figure of a threshold. Shares are between 0 and 1, times in microseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Figure {
    /// `pQ <`
    Quantile(f64),
    /// `max <`
    Max,
    /// `mean <`
    Mean,
    /// `count >=`
    Count,
    /// `rate >=`
    Rate,
    /// The number of bad operations (`<=`, `== 0`), or their share (`<`).
    Bad(Bad, Form),
    /// `delivered >=`, where the limit is a share.
    Delivered,
}

/// A way in which an operation can be bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    Failed,
    Lost,
    Late,
    Duplicated,
    Reordered,
    Misdelivered,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    AtMost,
    Share,
}

impl Threshold {
    pub(crate) fn subject(&self) -> &'static str {
        match self.of {
            Of::Requests => "requests",
            Of::RoundTrips => "roundTrips",
            Of::Iterations => "iterations",
            Of::Checks => "checks",
            Of::Deliveries => "delivery(said)",
        }
    }

    pub(crate) fn condition(&self) -> String {
        let limit = self.limit;
        let ms = limit / 1000.0;
        match self.figure {
            Figure::Quantile(percent) => format!("p{percent} < {ms}ms"),
            Figure::Max => format!("max < {ms}ms"),
            Figure::Mean => format!("mean < {ms}ms"),
            Figure::Count => format!("count >= {limit}"),
            Figure::Rate => format!("rate >= {limit}/s"),
            Figure::Bad(bad, Form::AtMost) if limit == 0.0 => format!("{} == 0", bad.word()),
            Figure::Bad(bad, Form::AtMost) => format!("{} <= {limit}", bad.word()),
            Figure::Bad(bad, Form::Share) => format!("{} < {}%", bad.word(), percent(limit)),
            Figure::Delivered => format!("delivered >= {}%", percent(limit)),
        }
    }
}

/// Converts a share to a percentage with at most two decimals.
fn percent(share: f64) -> f64 {
    (share * 1e4).round() / 1e2
}

impl Bad {
    fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Lost => "lost",
            Self::Late => "late",
            Self::Duplicated => "duplicated",
            Self::Reordered => "reordered",
            Self::Misdelivered => "misdelivered",
        }
    }
}

/// Returns one to four different thresholds. Some hold easily, some hold narrowly, and some are broken.
pub(crate) fn thresholds(kind: &Kind, p: &Parameters, dice: &mut Dice) -> Vec<Threshold> {
    let mut chosen: Vec<Threshold> = Vec::new();
    for _ in 0..dice.between(1, 4) {
        let threshold = match kind.shape {
            Shape::Room => of_room(p, dice),
            Shape::Request | Shape::Echo => of_requests(kind, p, dice),
        };
        let known = |one: &Threshold| one.of == threshold.of && one.figure == threshold.figure;
        if !chosen.iter().any(known) {
            chosen.push(threshold);
        }
    }
    chosen
}

fn of_requests(kind: &Kind, p: &Parameters, dice: &mut Dice) -> Threshold {
    let of = match (kind.shape, dice.between(0, 9)) {
        (Shape::Request, 0) => Of::Iterations,
        (Shape::Request, 1) => Of::Checks,
        (Shape::Echo, _) => Of::RoundTrips,
        _ => Of::Requests,
    };
    let (figure, limit) = match dice.between(0, 9) {
        _ if of == Of::Checks => bad(Bad::Failed, dice),
        4 if of != Of::Iterations => (Figure::Count, f64::from(1 << dice.between(0, 10))),
        5 if of != Of::Iterations => (Figure::Rate, f64::from(1 << dice.between(2, 10))),
        6..=9 => bad(Bad::Failed, dice),
        _ => time(p, dice),
    };
    Threshold { of, figure, limit }
}

fn of_room(p: &Parameters, dice: &mut Dice) -> Threshold {
    let (figure, limit) = match dice.between(0, 9) {
        0 | 1 => time(p, dice),
        2 => (
            Figure::Delivered,
            dice.one_of(&[0.5, 0.9, 0.99, 0.999, 1.0]),
        ),
        3..=5 => bad(Bad::Lost, dice),
        6 => bad(Bad::Late, dice),
        7 => bad(Bad::Duplicated, dice),
        8 => bad(Bad::Reordered, dice),
        _ => bad(Bad::Misdelivered, dice),
    };
    Threshold {
        of: Of::Deliveries,
        figure,
        limit,
    }
}

fn bad(bad: Bad, dice: &mut Dice) -> (Figure, f64) {
    match dice.between(0, 3) {
        0 => (
            Figure::Bad(bad, Form::Share),
            dice.one_of(&[0.001, 0.01, 0.05, 0.2, 0.5]),
        ),
        1 => (Figure::Bad(bad, Form::AtMost), dice.between(1, 20) as f64),
        _ => (Figure::Bad(bad, Form::AtMost), 0.0),
    }
}

/// Returns a limit for times that is far above, close to, or below the server's delay.
fn time(p: &Parameters, dice: &mut Dice) -> (Figure, f64) {
    let most = p.timeout.min(p.deadline) * 9 / 10;
    let limit = match dice.between(0, 3) {
        0 => (p.delay + 1).min(most),
        1 => (p.delay / 2).max(1),
        2 => (p.delay + dice.between(20, 100)).min(most),
        _ => most,
    };
    let figure = match dice.between(0, 7) {
        0 => Figure::Max,
        1 => Figure::Mean,
        n => Figure::Quantile(
            dice.one_of(&[50.0, 75.0, 90.0, 95.0, 99.0]) - f64::from(u8::from(n == 2)),
        ),
    };
    (figure, limit as f64 * 1000.0)
}
