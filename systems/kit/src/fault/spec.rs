use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;
use std::time::Duration;

use crate::span::{self, Shown};

/// The configured faults, written as `drop=100,stall=1s/10s`. Empty means none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultSpec {
    /// Delays everything that is sent (`delay=20ms`).
    pub delay: Option<Duration>,
    /// Stops sending periodically, here for 1 s in every 10 s (`stall=1s/10s`).
    pub stall: Option<Stall>,
    /// Leaves out every nth delivery (`drop=100`).
    pub drop: Option<NonZeroU64>,
    /// Sends every nth delivery twice (`duplicate=200`).
    pub duplicate: Option<NonZeroU64>,
    /// Swaps every nth delivery with the sender's next one (`swap=50`).
    pub swap: Option<NonZeroU64>,
    /// Sends every nth delivery also to a listener in a wrong room (`stray=500`).
    pub stray: Option<NonZeroU64>,
    /// Aborts the process at the nth message (`crash=10000`).
    pub crash: Option<NonZeroU64>,
    /// Leaks this many bytes per message (`leak=1024`).
    pub leak: Option<NonZeroU64>,
}

/// A periodic stall: nothing is sent for the time `lasts` in each period `every`. The first stall begins one period
/// after the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// Duration of a stall.
    pub lasts: Duration,
    /// Time from the start of one stall to the start of the next.
    pub every: Duration,
}

/// Reason why a fault specification was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// A part has no `=`.
    #[error("`{0}` has no value: use for example `drop=100`")]
    NoValue(String),
    /// No fault has this name.
    #[error(
        "unknown fault `{0}`: expected delay, stall, drop, duplicate, swap, stray, crash or leak"
    )]
    Unknown(String),
    /// A fault is given twice.
    #[error("`{0}` is given twice")]
    Twice(String),
    /// The value is not a whole number of at least one.
    #[error("`{name}={value}` needs a whole number of at least 1")]
    Number {
        /// The name of the fault.
        name: String,
        /// The value as written.
        value: String,
    },
    /// The duration cannot be read.
    #[error("`{name}`: {source}")]
    Span {
        /// The name of the fault.
        name: String,
        /// The cause.
        source: span::SpanError,
    },
    /// The stall's duration is zero or not shorter than its period.
    #[error("`stall={0}` needs a duration and a longer period: use for example `stall=1s/10s`")]
    Stall(String),
}

impl FaultSpec {
    /// Whether no fault is configured.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Each fault as text, in the form in which it was configured.
    #[must_use]
    pub fn parts(&self) -> Vec<String> {
        let counts = [
            ("drop", self.drop),
            ("duplicate", self.duplicate),
            ("swap", self.swap),
            ("stray", self.stray),
            ("crash", self.crash),
            ("leak", self.leak),
        ];
        let delay = self.delay.map(|span| format!("delay={}", Shown(span)));
        let stall = self
            .stall
            .map(|s| format!("stall={}/{}", Shown(s.lasts), Shown(s.every)));
        let counts = counts
            .into_iter()
            .filter_map(|(name, n)| n.map(|n| format!("{name}={n}")));
        delay.into_iter().chain(stall).chain(counts).collect()
    }

    fn order(&mut self, name: &str, value: &str) -> Result<(), SpecError> {
        match name {
            "delay" => once(name, &mut self.delay, read_span(name, value)?),
            "stall" => once(name, &mut self.stall, read_stall(value)?),
            "drop" => once(name, &mut self.drop, read_count(name, value)?),
            "duplicate" => once(name, &mut self.duplicate, read_count(name, value)?),
            "swap" => once(name, &mut self.swap, read_count(name, value)?),
            "stray" => once(name, &mut self.stray, read_count(name, value)?),
            "crash" => once(name, &mut self.crash, read_count(name, value)?),
            "leak" => once(name, &mut self.leak, read_count(name, value)?),
            _ => Err(SpecError::Unknown(name.to_owned())),
        }
    }
}

fn once<T>(name: &str, slot: &mut Option<T>, value: T) -> Result<(), SpecError> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(SpecError::Twice(name.to_owned())),
    }
}

fn read_count(name: &str, value: &str) -> Result<NonZeroU64, SpecError> {
    value.parse().map_err(|_| SpecError::Number {
        name: name.to_owned(),
        value: value.to_owned(),
    })
}

fn read_span(name: &str, value: &str) -> Result<Duration, SpecError> {
    span::parse(value).map_err(|source| SpecError::Span {
        name: name.to_owned(),
        source,
    })
}

fn read_stall(value: &str) -> Result<Stall, SpecError> {
    let refused = || SpecError::Stall(value.to_owned());
    let (lasts, every) = value.split_once('/').ok_or_else(refused)?;
    let (lasts, every) = (read_span("stall", lasts)?, read_span("stall", every)?);
    if lasts.is_zero() || lasts >= every {
        return Err(refused());
    }
    Ok(Stall { lasts, every })
}

impl FromStr for FaultSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut spec = Self::default();
        for part in text.split(',').filter(|_| !text.trim().is_empty()) {
            let part = part.trim();
            let (name, value) = part
                .split_once('=')
                .ok_or_else(|| SpecError::NoValue(part.to_owned()))?;
            spec.order(name, value)?;
        }
        Ok(spec)
    }
}

impl fmt::Display for FaultSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts().join(","))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_whole_order_is_read_and_shown_alike() {
        let text = "delay=20ms,stall=1s/10s,drop=100,duplicate=200,swap=50,stray=500,crash=10000,leak=1024";
        let spec: FaultSpec = text.parse().unwrap();
        assert_eq!(spec.drop, NonZeroU64::new(100));
        assert_eq!(spec.delay, Some(Duration::from_millis(20)));
        assert_eq!(spec.to_string(), text);
    }

    #[test]
    fn nothing_ordered_is_no_fault() {
        assert!("".parse::<FaultSpec>().unwrap().is_empty());
    }

    #[test]
    fn each_mistake_is_named() {
        for (text, word) in [
            ("drop", "drop=100"),
            ("drop=0", "at least 1"),
            ("drop=-1", "at least 1"),
            ("drop=5,drop=6", "twice"),
            ("dorp=5", "unknown fault `dorp`"),
            ("delay=20", "not a duration"),
            ("stall=1s", "stall=1s/10s"),
            ("stall=10s/1s", "longer period"),
            ("drop=5,", "no value"),
        ] {
            let error = text.parse::<FaultSpec>().unwrap_err().to_string();
            assert!(error.contains(word), "{text}: {error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused_without_panic(text in "[a-z=,/0-9]*") {
            if let Ok(spec) = text.parse::<FaultSpec>() {
                prop_assert_eq!(spec.to_string().parse::<FaultSpec>(), Ok(spec));
            }
        }
    }
}
