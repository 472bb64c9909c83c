//! Numbers as reports print them: `1.411ms`, `1,780,045`, `~1,520`, `+42%`, `4.7x`.

/// A printed number: its value, what one of its last digit is worth, and its unit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Printed {
    pub(super) value: f64,
    /// What one of the last digit is worth; for a number with `~`, of the last digit that is not 0.
    pub(super) step: f64,
    pub(super) about: bool,
    pub(super) signed: bool,
    pub(super) unit: String,
}

/// Reads one; `None` when it is no number.
pub(super) fn read(text: &str) -> Option<Printed> {
    let text = text.trim();
    let (about, text) = match text.strip_prefix(['~', '≈']) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, text),
    };
    let end = text
        .char_indices()
        .find(|&(at, byte)| {
            !(byte.is_ascii_digit()
                || matches!(byte, '.' | ',' | '_')
                || (at == 0 && "+-".contains(byte)))
        })
        .map_or(text.len(), |(at, _)| at);
    let (number, unit) = text.split_at(end);
    let digits: String = number
        .chars()
        .filter(|&byte| !matches!(byte, ',' | '_'))
        .collect();
    let value: f64 = digits.parse().ok()?;
    let places = digits.split_once('.').map_or(0, |(_, places)| places.len());
    let zeros = if places == 0 && about {
        digits
            .chars()
            .rev()
            .take_while(|&digit| digit == '0')
            .count()
    } else {
        0
    };
    let step = 10f64.powi(i32::try_from(zeros).ok()? - i32::try_from(places).ok()?);
    Some(Printed {
        value,
        step,
        about,
        signed: digits.starts_with(['+', '-']),
        unit: unit.trim().to_owned(),
    })
}

/// How many milliseconds a unit of time has.
pub(super) fn milliseconds(unit: &str) -> Option<f64> {
    Some(match unit {
        "ns" => 1e-6,
        "us" | "µs" | "μs" => 1e-3,
        "ms" => 1.0,
        "s" => 1e3,
        "m" | "min" => 6e4,
        "h" => 3.6e6,
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
        assert!(super::read("soon").is_none());
    }
}
