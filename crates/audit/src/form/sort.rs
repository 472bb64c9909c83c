//! The quantities of numbers in the form, with their units and precision.

use super::printed::{Printed, milliseconds, multiplied, per_second};

/// The quantity of a number, which decides its unit and precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// An exact count, unless it is printed with `~` or `k`.
    Count,
    /// A time in milliseconds. A number without a unit is in the default unit of the form.
    Time,
    /// A time in seconds.
    Seconds,
    /// A measured number, such as a rate per second.
    Measured,
    /// A percentage, with or without the sign.
    Percent,
    /// A factor of change: both `+42%` and `1.42x` are 1.42.
    Factor,
}

/// Returns the value in the unit of its quantity, and its slack. The slack is one unit of the last digit, because some
/// tools round and others truncate. In a measured number, zeros at the end do not count as digits.
pub(super) fn scaled(number: &Printed, sort: Sort, unit: &str) -> Result<(f64, f64), String> {
    let given = if number.unit.is_empty() {
        unit
    } else {
        &number.unit
    };
    if sort != Sort::Factor && number.value < 0.0 {
        return Err("it cannot be negative".to_owned());
    }
    let time = || milliseconds(given).ok_or_else(|| format!("`{given}` is not a unit of time"));
    let (times, rest) = multiplied(&number.unit);
    let plain = || {
        let unknown = || Err(format!("unknown unit `{rest}` for this kind of number"));
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
        Err("a change in per cent needs a sign: +42% or -42%".to_owned())
    }
}
