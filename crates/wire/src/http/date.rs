//! Dates in response headers (RFC 9110 §5.6.7), in seconds since 1970.

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
/// The longest wait in seconds, about 31 years. A larger number is a Unix time, in 2001 or later.
const LONGEST_SPAN: f64 = 1e9;

/// Whether a number of seconds is a Unix time rather than a wait.
pub(super) fn is_time_of_day(seconds: f64) -> bool {
    seconds > LONGEST_SPAN
}

/// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that servers may still send.
pub(super) fn unix_seconds(text: &str) -> Option<f64> {
    let mut parts = text.split_once(", ")?.1.split(' ');
    let mut next = || parts.next();
    let (day, month, year, time) = (next()?, next()?, next()?, next()?);
    let (_, month) = MONTHS
        .iter()
        .zip(1_u32..)
        .find(|(known, _)| **known == month)?;
    let (day, year): (u32, u32) = (day.parse().ok()?, year.parse().ok()?);
    let mut clock = time.split(':').map(|part| part.parse::<u32>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let fits = (1..=31).contains(&day) && year < 10_000 && hour < 24 && minute < 60 && second < 61;
    fits.then(|| {
        let days = days_since_1970(year, month, day);
        days as f64 * 86_400.0 + f64::from(hour * 3600 + minute * 60 + second)
    })
}

/// Days since 1970-01-01 in the Gregorian calendar. Years begin in March here, so that a leap day is the last day of
/// its year.
fn days_since_1970(year: u32, month: u32, day: u32) -> i64 {
    let year = i64::from(year) - i64::from(month <= 2);
    let month = (i64::from(month) + 9) % 12;
    let day_of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    let era_days = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    era_days + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_seconds_since_1970() {
        for (text, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600.0),
            ("Sat, 21 Nov 2026 21:25:53 GMT", 1_795_296_353.0),
        ] {
            assert_eq!(unix_seconds(text), Some(seconds), "{text}");
        }
        for text in [
            "",
            "now",
            "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994",
            "Sun, 99 Nov 1994 08:49:37 GMT",
        ] {
            assert_eq!(unix_seconds(text), None, "{text}");
        }
    }
}
