//! Numbers for people: at most four significant digits below 1,000.

use crate::Figure;

/// `p99.9` for 0.999.
pub(crate) fn percentile(q: f64) -> String {
    let text = format!("{:.4}", q * 100.0);
    format!("p{}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A time in milliseconds, printed in the unit that fits.
pub(crate) fn time(ms: f64) -> String {
    let size = ms.abs();
    match size {
        _ if size >= 1000.0 => format!("{} s", short(ms / 1000.0)),
        _ if size >= 1.0 || size == 0.0 => format!("{} ms", short(ms)),
        _ => format!("{} µs", short(ms * 1000.0)),
    }
}

/// A plain number: whole numbers with separators, others with four significant digits.
pub(crate) fn short(value: f64) -> String {
    let size = value.abs();
    if value.fract() == 0.0 || size >= 1000.0 {
        return grouped(value);
    }
    let places = match size {
        _ if size >= 100.0 => 1,
        _ if size >= 10.0 => 2,
        _ if size >= 1.0 => 3,
        _ if size >= 0.1 => 4,
        _ => 6,
    };
    let text = format!("{value:.places$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A figure with the digits of its source: `slack` is the value of one unit of the last digit.
pub(crate) fn told(figure: &Figure) -> String {
    let (value, slack) = (figure.value, figure.slack);
    let mut places = 0;
    let mut last = 1.0;
    while slack > 0.0 && slack < 0.99 * last && places < 6 {
        places += 1;
        last /= 10.0;
    }
    if places == 0 {
        return short(value);
    }
    let text = format!("{:.places$}", value.abs());
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}.{rest}", grouped(whole.parse().unwrap_or(0.0)))
}

/// A share, in per cent.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", short(share * 100.0))
}

fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0.0 {
        format!("-{text}")
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_keep_their_unit() {
        assert_eq!(percentile(0.999), "p99.9");
        assert_eq!(percentile(0.5), "p50");
        assert_eq!(time(2429.122), "2.429 s");
        assert_eq!(time(0.268), "268 µs");
        assert_eq!(short(1_780_045.0), "1,780,045");
        assert_eq!(short(13_605.2), "13,605");
        assert_eq!(percent(0.0822), "8.22 %");
        let figure = |value, slack| super::told(&Figure::rounded(value, slack, ""));
        assert_eq!(figure(101.65, 0.01), "101.65");
        assert_eq!(figure(13_605.2, 0.1), "13,605.2");
        assert_eq!(figure(2.5, 0.001), "2.500");
        assert_eq!(figure(1520.0, 10.0), "1,520");
        assert_eq!(figure(67.0, 1.0), "67");
        assert_eq!(figure(1.411, 0.0), "1.411");
    }
}
