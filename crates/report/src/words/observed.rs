use format::{duration, megabytes, percent, rate};
use model::{Nanos, Unit};
use record::Observed;

/// Formats an observed value with its known precision: `12.3 ms`, `more than 40 ms`, `3 to 5`.
pub(crate) fn observed(seen: &Observed) -> String {
    match seen {
        Observed::Exactly { value, unit } => figure(*value, *unit),
        Observed::Between { low, high, unit } => {
            format!("{} to {}", figure(*low, *unit), figure(*high, *unit))
        }
        Observed::MoreThan { value, unit } => format!("more than {}", figure(*value, *unit)),
        Observed::TimedOut => "timed out".to_owned(),
        Observed::Text { text, .. } => text.clone(),
    }
}

fn figure(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Nanos => duration(Nanos::from_secs_f64(value / 1e9)),
        Unit::Bytes => megabytes(value / 1e6),
        Unit::Ratio => percent(value * 100.0),
        Unit::PerSecond => rate(value),
        Unit::Count | Unit::Plain => format::amount(value),
    }
}
