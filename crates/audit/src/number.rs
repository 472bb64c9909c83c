//! Numbers as people read them: at most four digits that say something.

/// `p99.9` of 0.999.
pub(crate) fn percentile(q: f64) -> String {
    let text = format!("{:.4}", q * 100.0);
    format!("p{}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Milliseconds, in the unit that fits.
pub(crate) fn time(ms: f64) -> String {
    let size = ms.abs();
    match size {
        _ if size >= 1000.0 => format!("{} s", short(ms / 1000.0)),
        _ if size >= 1.0 || size == 0.0 => format!("{} ms", short(ms)),
        _ => format!("{} µs", short(ms * 1000.0)),
    }
}

/// A plain number: whole ones with separators, others with four significant digits.
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

/// A share in per cent.
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
    }
}
