//! Reads timestamps in RFC 3339.

/// Returns the milliseconds since 1970 of a timestamp such as `2026-11-21T19:09:13.060029323+01:00`.
pub(super) fn milliseconds(text: &str) -> Option<f64> {
    let (date, clock) = text.split_once('T')?;
    let mut date = date.splitn(3, '-').map(str::parse::<i64>);
    let mut next = || date.next()?.ok();
    let days = days(next()?, next()?, next()?);
    let zone = clock.find(['Z', '+', '-'])?;
    let (clock, zone) = clock.split_at(zone);
    let mut parts = clock.split(':').map(str::parse::<f64>);
    let mut next = || parts.next()?.ok();
    let seconds = next()? * 3600.0 + next()? * 60.0 + next()?;
    Some(1e3 * (days as f64 * 86_400.0 + seconds - ahead(zone)?))
}

/// Returns the offset of a time zone from UTC in seconds. Accepts `Z` and `+01:00`.
fn ahead(zone: &str) -> Option<f64> {
    if zone == "Z" {
        return Some(0.0);
    }
    let (hours, minutes) = zone.get(1..)?.split_once(':')?;
    let span = hours.parse::<f64>().ok()? * 3600.0 + minutes.parse::<f64>().ok()? * 60.0;
    Some(if zone.starts_with('-') { -span } else { span })
}

/// Returns the days since 1970 in the Gregorian calendar. Years begin in March here, so that a leap day is the last day
/// of a year (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month > 2 { year } else { year - 1 };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year
        - 719_468
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn moments_are_those_of_the_calendar() {
        let of = |text| milliseconds(text).unwrap();
        assert!((of("1970-01-01T00:00:00Z")).abs() < 1e-9);
        assert!((of("2000-03-01T00:00:00Z") - 951_868_800_000.0).abs() < 1e-9);
        assert!((of("2026-11-21T19:09:13.5+01:00") - 1_795_284_553_500.0).abs() < 1e-3);
        // Past midnight, and in another time zone.
        assert!((of("2024-03-01T00:00:01Z") - of("2024-02-29T23:59:59Z") - 2000.0).abs() < 1e-3);
        assert!((of("2024-02-29T18:29:59-05:30") - of("2024-02-29T23:59:59Z")).abs() < 1e-3);
        assert!(milliseconds("yesterday").is_none());
    }
}
