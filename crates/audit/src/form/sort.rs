//! What a number of the form is of: its unit, and how exact it is.

use super::printed::{Printed, milliseconds, multiplied, per_second};

/// What a number is of, and so how exact it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Exact, unless it says `~` or `k`.
    Count,
    /// In milliseconds; without a unit as the form says.
    Time,
    /// In seconds.
    Seconds,
    /// A measured number: per second.
    Measured,
    /// In per cent, with or without the sign.
    Percent,
    /// A change: `+42%` is 1.42, as `1.42x` is.
    Factor,
}

/// Its value in the unit of its sort, and how far the true one may be: whole units of the last digit, since some round
/// and some cut off; of a measured number that ends in zeros, of the last digit before them.
pub(super) fn scaled(number: &Printed, sort: Sort, unit: &str) -> Result<(f64, f64), String> {
    let given = if number.unit.is_empty() {
        unit
    } else {
        &number.unit
    };
    if sort != Sort::Factor && number.value < 0.0 {
        return Err("it cannot be below 0".to_owned());
    }
    let time = || milliseconds(given).ok_or_else(|| format!("`{given}` is no unit of time"));
    let (times, rest) = multiplied(&number.unit);
    let plain = || {
        let unknown = || {
            Err(format!(
                "`{rest}` is not known behind a number of this kind"
            ))
        };
        if rest.is_empty() {
            Ok(times)
        } else {
            unknown()
        }
    };
    let factor = match sort {
        Sort::Time => time()?,
        Sort::Seconds => time()? / 1000.0,
        Sort::Percent if rest == "%" => times,
        Sort::Measured if rest == "x" || rest == "×" => times,
        Sort::Measured => per_second(rest).map_or_else(plain, |once| Ok(times * once))?,
        Sort::Factor if rest == "%" => return change(number),
        Sort::Factor if rest == "x" || rest == "×" => 1.0,
        Sort::Count | Sort::Factor | Sort::Percent => plain()?,
    };
    let exact = sort == Sort::Count && !number.about && number.unit.is_empty();
    let slack = match sort {
        _ if exact => 0.0,
        Sort::Count | Sort::Percent => number.step,
        _ => number.coarse,
    };
    Ok((number.value * factor, slack * factor))
}

fn change(number: &Printed) -> Result<(f64, f64), String> {
    if number.signed {
        Ok((1.0 + number.value / 100.0, number.coarse / 100.0))
    } else {
        Err("a change in per cent has a sign: +42%, or -42%".to_owned())
    }
}
