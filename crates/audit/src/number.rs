//! Formats numbers in findings with four significant digits, so that a reader can repeat the arithmetic.

use format::precise;

use crate::figure::Figure;

/// Formats a time given in milliseconds: `268 µs`, `2.429 s`.
pub(crate) fn time(ms: f64) -> String {
    match ms.abs() {
        size if size >= 1000.0 => format!("{} s", precise(ms / 1000.0)),
        size if size >= 1.0 || size == 0.0 => format!("{} ms", precise(ms)),
        _ => format!("{} µs", precise(ms * 1000.0)),
    }
}

/// Formats a figure with as many digits as its source shows. `slack` is the value of one unit of the last digit.
pub(crate) fn printed(figure: &Figure) -> String {
    const LAST_DIGITS: [f64; 7] = [1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6];
    let mut units = LAST_DIGITS.iter();
    let decimals = units.position(|unit| figure.slack >= 0.99 * unit);
    match decimals.unwrap_or(LAST_DIGITS.len() - 1) {
        0 => precise(figure.value),
        _ if figure.slack <= 0.0 => precise(figure.value),
        decimals => format::fixed(figure.value, decimals),
    }
}

/// Formats a share as a percentage.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", precise(share * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_keep_their_unit() {
        assert_eq!(time(2429.122), "2.429 s");
        assert_eq!(time(0.268), "268 µs");
        assert_eq!(percent(0.0822), "8.22 %");
        let figure = |value, slack| printed(&Figure::rounded(value, slack, ""));
        assert_eq!(figure(101.65, 0.01), "101.65");
        assert_eq!(figure(13_605.2, 0.1), "13,605.2");
        assert_eq!(figure(2.5, 0.001), "2.500");
        assert_eq!(figure(1520.0, 10.0), "1,520");
        assert_eq!(figure(67.0, 1.0), "67");
        assert_eq!(figure(1.411, 0.0), "1.411");
    }
}
