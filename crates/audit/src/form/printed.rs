//! Reads numbers as reports print them: `1.411ms`, `1,780,045`, `~1,520`, `12.3k`, `+42%`, `4.7x`.

use crate::claim::Side;

/// A printed number with its unit and precision.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Printed {
    pub(super) value: f64,
    /// The value of one unit of the last digit, or of the last digit other than 0 if the number begins with `~`.
    pub(super) step: f64,
    /// Like `step`, but with zeros at the end of a whole number treated as rounded. At least two digits are
    /// significant.
    pub(super) coarse: f64,
    pub(super) about: bool,
    pub(super) signed: bool,
    pub(super) unit: String,
}

/// Reads a number. `None` if the text is not a number.
pub(super) fn read(text: &str) -> Option<Printed> {
    let text = text.trim();
    let (about, text) = match text.strip_prefix(['~', '≈']) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    };
    let text = text.strip_prefix(['×', 'x']).unwrap_or(text).trim_start();
    // Replaces the typographic minus sign.
    let text = text.replacen('\u{2212}', "-", 1);
    let end = text
        .char_indices()
        .find(|&(at, byte)| {
            !(byte.is_ascii_digit()
                || matches!(byte, '.' | ',' | '_')
                || (at == 0 && "+-".contains(byte)))
        })
        .map_or(text.len(), |(at, _)| at);
    let (number, unit) = text.split_at(end);
    if !grouped_by_three(number) {
        return None;
    }
    let digits: String = number
        .chars()
        .filter(|&byte| !matches!(byte, ',' | '_'))
        .collect();
    let value: f64 = digits.parse().ok()?;
    let places = digits.split_once('.').map_or(0, |(_, places)| places.len());
    let plain = digits.trim_start_matches(['+', '-']);
    let zeros = if places == 0 {
        plain.len() - plain.trim_end_matches('0').len()
    } else {
        0
    };
    let worth = |zeros: usize| {
        let exponent = i32::try_from(zeros).ok()? - i32::try_from(places).ok()?;
        Some(10f64.powi(exponent))
    };
    let step = worth(if about { zeros } else { 0 })?;
    if let Some(longer) = compound(value, unit.trim()) {
        return Some(Printed { about, ..longer });
    }
    let coarse = worth(zeros.min(plain.len().saturating_sub(2)))?;
    Some(Printed {
        value,
        step,
        coarse: coarse.max(step),
        about,
        signed: digits.starts_with(['+', '-']),
        unit: unit.trim().to_owned(),
    })
}

/// Reads a time in the format of Go, such as `1m2.5s` or `1h0m`. Returns seconds.
fn compound(first: f64, unit: &str) -> Option<Printed> {
    let hours = unit.strip_prefix('h').map(|rest| (3600.0, rest));
    let (scale, rest) = hours.or_else(|| Some((60.0, unit.strip_prefix('m')?)))?;
    if !rest.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let rest = read(rest)?;
    let seconds = milliseconds(&rest.unit)? / 1e3;
    Some(Printed {
        value: first * scale + rest.value * seconds,
        step: rest.step * seconds,
        coarse: rest.step * seconds,
        unit: "s".to_owned(),
        ..rest
    })
}

/// Reads the two numbers of a range: `4-6x`, `25–30` or `15 to 30s`. A unit after the second number applies to both.
/// `None` if the text is not a range.
pub(super) fn range(text: &str) -> Option<(String, String)> {
    let between = ["-", "\u{2013}", "\u{2014}", "\u{2212}", " to "];
    let mut places = between
        .iter()
        .flat_map(|word| text.match_indices(word))
        .map(|(at, word)| (text[..at].trim(), text[at + word.len()..].trim()));
    places.find_map(|(low, high)| {
        let (first, second) = (read(low)?, read(high)?);
        let low = if first.unit.is_empty() {
            format!("{low}{}", second.unit)
        } else {
            low.to_owned()
        };
        Some((low, high.to_owned()))
    })
}

/// Removes the sign of a limit from the text: `< 100ms` is a limit of 100 ms.
pub(super) fn without_bound(text: &str) -> &str {
    text.trim().trim_start_matches(BOUND).trim_start()
}

const BOUND: [char; 5] = ['<', '>', '=', '\u{2264}', '\u{2265}'];

/// Returns the side of the limit that the sign states.
pub(super) fn side(text: &str) -> Option<Side> {
    match text.trim().chars().next()? {
        '<' | '\u{2264}' => Some(Side::AtMost),
        '>' | '\u{2265}' => Some(Side::AtLeast),
        _ => None,
    }
}

/// Whether all commas separate thousands, as in `1,780,045`. `1,5` is refused because it may mean one and a half.
fn grouped_by_three(number: &str) -> bool {
    let whole = number.split('.').next().unwrap_or_default();
    if number.len() > whole.len() && number[whole.len()..].contains(',') {
        return false;
    }
    let mut groups = whole.trim_start_matches(['+', '-']).split(',');
    let first = groups.next().unwrap_or_default();
    let mut rest = groups.peekable();
    rest.peek().is_none() || ((1..=3).contains(&first.len()) && rest.all(|group| group.len() == 3))
}

/// Splits the suffix of a number that is not a time into a factor and the rest: `k/s` becomes 1,000 and `/s`.
pub(super) fn multiplied(unit: &str) -> (f64, &str) {
    let all = [('k', 1e3), ('K', 1e3), ('M', 1e6), ('G', 1e9)];
    let found = all.into_iter().find_map(|(letter, times)| {
        let rest = unit.strip_prefix(letter)?;
        // The `m` of `messages` does not mean million.
        (!rest.starts_with(|next: char| next.is_alphabetic())).then(|| (times, rest.trim_start()))
    });
    found.unwrap_or((1.0, unit))
}

/// Returns the factor that converts a rate's unit to operations per second. `None` if the unit is not that of a rate.
pub(super) fn per_second(unit: &str) -> Option<f64> {
    let (before, after) = unit.split_once('/').unwrap_or((unit, ""));
    let word = |text: &str| {
        text.chars()
            .all(|letter| letter.is_alphabetic() || letter == ' ')
    };
    match after.trim() {
        "s" | "sec" | "second" if word(before) => Some(1.0),
        "min" | "minute" if word(before) => Some(1.0 / 60.0),
        "" => match before.trim().to_ascii_lowercase().as_str() {
            "rps" | "qps" | "tps" | "per second" => Some(1.0),
            "rpm" => Some(1.0 / 60.0),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the number of milliseconds in a unit of time.
pub(super) fn milliseconds(unit: &str) -> Option<f64> {
    Some(match unit {
        "ns" => 1e-6,
        "us" | "µs" | "μs" | "usec" | "microseconds" => 1e-3,
        "ms" | "msec" | "milliseconds" => 1.0,
        "s" | "sec" | "secs" | "second" | "seconds" => 1e3,
        "m" | "min" | "mins" | "minute" | "minutes" => 6e4,
        "h" | "hour" | "hours" => 3.6e6,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digits_say_how_exact_a_number_is() {
        let read = |text| {
            let printed = read(text).unwrap();
            (printed.value, printed.step, printed.unit)
        };
        assert_eq!(read("1.411ms"), (1.411, 0.001, "ms".to_owned()));
        assert_eq!(read("1,780,045"), (1_780_045.0, 1.0, String::new()));
        assert_eq!(read("~1,520"), (1520.0, 10.0, String::new()));
        assert_eq!(read("+42 %"), (42.0, 1.0, "%".to_owned()));
        assert_eq!(read("19µs"), (19.0, 1.0, "µs".to_owned()));
        assert_eq!(read("−5 %"), (-5.0, 1.0, "%".to_owned()));
        assert_eq!(read("×4.7"), (4.7, 0.1, String::new()));
        assert_eq!(read("1m0s"), (60.0, 1.0, "s".to_owned()));
        assert_eq!(read("1h2m3.5s"), (3723.5, 0.1, "s".to_owned()));
        assert_eq!(read("3m"), (3.0, 1.0, "m".to_owned()));
        // Zeros at the end of a whole number may come from rounding, so only the first two digits are certain.
        let coarse = |text: &str| super::read(text).unwrap().coarse;
        for (text, worth) in [
            ("1200ms", 100.0),
            ("1230", 10.0),
            ("10", 1.0),
            ("100", 10.0),
            ("5000", 100.0),
            ("100.0", 0.1),
            ("0", 1.0),
            ("-60", 1.0),
        ] {
            assert!((coarse(text) - worth).abs() < 1e-9, "{text}");
        }
        for text in ["soon", "1,5", "1.780.045", "1,7800", "<1", "1.5,000", ""] {
            assert!(super::read(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_range_is_two_numbers_with_one_unit() {
        let range = |text| super::range(text).map(|(low, high)| format!("{low} {high}"));
        for (text, both) in [
            ("4-6x", "4x 6x"),
            ("4x-6x", "4x 6x"),
            ("25\u{2013}30", "25 30"),
            ("500\u{2013}1,500", "500 1,500"),
            ("15 to 30s", "15s 30s"),
            ("67 - 87ms", "67ms 87ms"),
        ] {
            assert_eq!(range(text).as_deref(), Some(both));
        }
        for text in [
            "-5%",
            "\u{2212}5 %",
            "+42%",
            "10",
            "",
            "-",
            "4-",
            "C1-C2",
            "soon to be",
        ] {
            assert_eq!(range(text), None, "{text}");
        }
    }

    #[test]
    fn thousands_and_rates_are_known_by_their_letters() {
        assert_eq!(multiplied("k"), (1e3, ""));
        assert_eq!(multiplied("k req/s"), (1e3, "req/s"));
        assert_eq!(multiplied("Mio"), (1.0, "Mio"));
        assert_eq!(per_second("req/s"), Some(1.0));
        assert_eq!(per_second("/min"), Some(1.0 / 60.0));
        assert_eq!(per_second("parsec"), None);
        assert_eq!(milliseconds("seconds"), Some(1e3));
        assert_eq!(milliseconds("parsec"), None);
    }
}
