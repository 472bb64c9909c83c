use std::fmt;

use super::error::ThresholdError;
use crate::suggest;
use serde::{Deserialize, Serialize};

/// The subject of a threshold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subject {
    /// The kind.
    pub kind: SubjectKind,
    /// The name under which the subject is measured. For requests, it may end with the tags that they must have, or
    /// consist of these tags: `GET /items{region=eu}`, `{region=eu}`. `None` means all names together. A metric always
    /// has a name, and the target never has one. In a mix, an iteration is named after its scenario.
    pub name: Option<String>,
}

/// The kinds of subjects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SubjectKind {
    /// Deliveries of messages on a channel.
    Delivery,
    /// HTTP requests.
    Request,
    /// Messages and their replies.
    RoundTrip,
    /// Audio that is sent at a fixed pace, with the results that it yields.
    Stream,
    /// Named steps of an iteration.
    Step,
    /// Calls of the scenario function.
    Iteration,
    /// Named checks.
    Check,
    /// User states that must be the same for all members of a group at the end.
    Convergence,
    /// Connections and handshakes.
    Connection,
    /// The script's own counters, gauges and trends.
    Metric,
    /// The process of the system under test.
    Target,
}

/// Each kind, with its word for a single name and its word for all names together.
const WORDS: [(SubjectKind, Option<&str>, Option<&str>); 11] = [
    (SubjectKind::Delivery, Some("delivery"), Some("deliveries")),
    (SubjectKind::Request, Some("request"), Some("requests")),
    (
        SubjectKind::RoundTrip,
        Some("roundTrip"),
        Some("roundTrips"),
    ),
    (SubjectKind::Stream, Some("stream"), Some("streams")),
    (SubjectKind::Step, Some("step"), Some("steps")),
    (
        SubjectKind::Iteration,
        Some("iteration"),
        Some("iterations"),
    ),
    (SubjectKind::Check, Some("check"), Some("checks")),
    (
        SubjectKind::Convergence,
        Some("converged"),
        Some("converged"),
    ),
    (
        SubjectKind::Connection,
        Some("connection"),
        Some("connections"),
    ),
    (SubjectKind::Metric, Some("metric"), None),
    (SubjectKind::Target, None, Some("target")),
];

impl Subject {
    /// Parses a key of `thresholds`: `delivery(said)`, `requests`, `target`.
    pub fn parse(key: &str) -> Result<Self, ThresholdError> {
        match key.find('(') {
            Some(open) => Self::parse_named(key, open),
            None => Self::parse_plural(key),
        }
    }

    fn parse_plural(key: &str) -> Result<Self, ThresholdError> {
        let word = key.trim();
        if let Some((kind, ..)) = WORDS.iter().find(|(_, _, plural)| *plural == Some(word)) {
            return Ok(Self {
                kind: *kind,
                name: None,
            });
        }
        let error = ThresholdError::new(key, span_of(key, word), "unknown subject");
        Err(
            match WORDS
                .iter()
                .find(|(_, singular, _)| *singular == Some(word))
            {
                Some((_, _, Some(plural))) => error.hint(format!(
                    "write `{word}(name)` for one, `{plural}` for all together"
                )),
                Some(_) => error.hint(format!("write `{word}(name)`")),
                None => error.hint(suggest::hint(word, &known())),
            },
        )
    }

    fn parse_named(key: &str, open: usize) -> Result<Self, ThresholdError> {
        let word = key[..open].trim();
        let whole = key.trim_end();
        let Some(name) = whole[open + 1..].strip_suffix(')').map(str::trim) else {
            return Err(ThresholdError::new(
                key,
                open..whole.len(),
                "the bracket is not closed",
            ));
        };
        if let Some((kind, ..)) = WORDS
            .iter()
            .find(|(_, singular, _)| *singular == Some(word))
        {
            if name.is_empty() {
                return Err(ThresholdError::new(
                    key,
                    open..whole.len(),
                    "the name is empty",
                ));
            }
            if *kind == SubjectKind::Request {
                check_tags(key, name)?;
            }
            return Ok(Self {
                kind: *kind,
                name: Some(name.to_owned()),
            });
        }
        let error = ThresholdError::new(key, span_of(key, word), "unknown subject");
        Err(
            match WORDS.iter().find(|(_, _, plural)| *plural == Some(word)) {
                Some((_, Some(singular), _)) => {
                    error.hint(format!("did you mean `{singular}({name})`?"))
                }
                Some(_) => error.hint(format!("`{word}` takes no name: write only `{word}`")),
                None => error.hint(suggest::hint(word, &known())),
            },
        )
    }
}

/// Checks the tags at the end of the name of requests. Braces without `=` are part of a name, such as `GET /items/{id}`.
fn check_tags(key: &str, name: &str) -> Result<(), ThresholdError> {
    let inner = name
        .strip_suffix('}')
        .and_then(|name| name.rsplit_once('{'));
    match inner {
        Some((_, inner)) if inner.contains('=') && model::split_tags(name).1.is_empty() => {
            let error = ThresholdError::new(key, span_of(key, inner), "these are no tags");
            Err(error.hint("write tags as `{key=value}` or `{key=value,key=value}`"))
        }
        _ => Ok(()),
    }
}

impl SubjectKind {
    /// The word for all names together, such as `requests`.
    pub fn plural(self) -> &'static str {
        let word = WORDS.iter().find(|(kind, ..)| *kind == self);
        word.and_then(|(_, _, plural)| *plural).unwrap_or("metrics")
    }
}

/// The byte range of `part`, which must be a slice of `text`.
pub(super) fn span_of(text: &str, part: &str) -> std::ops::Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + part.len()
}

fn known() -> Vec<&'static str> {
    let words = WORDS
        .iter()
        .flat_map(|(_, singular, plural)| [*singular, *plural]);
    let mut known: Vec<_> = words.flatten().collect();
    known.dedup();
    known
}

impl fmt::Display for Subject {
    /// Formats the subject as users write it: `delivery(said)`, `requests`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = WORDS.iter().find(|(kind, ..)| *kind == self.kind);
        match (&self.name, word) {
            (Some(name), Some((_, Some(singular), _))) => write!(f, "{singular}({name})"),
            _ => f.write_str(self.kind.plural()),
        }
    }
}
