use std::rc::Rc;

use delivery::{Garbled, Stamp, find_stamp};
use model::Fault;
use script::host::StampPlace;

use crate::filter::Filter;
use crate::place::Place;

/// Maximum number of places that are shared. If more places are in use at once, the others are not shared.
const LIMIT: usize = 64;

/// Received data as channels see it: a message, or the content of an event that has a name.
#[derive(Clone, Copy)]
pub(crate) struct Came<'a> {
    pub(crate) bytes: &'a [u8],
    event: Option<EventName<'a>>,
}

/// The name of an event.
#[derive(Clone, Copy)]
pub(crate) enum EventName<'a> {
    Plain(&'a str),
    /// The text between the quotes of a JSON string, with escapes.
    Escaped(&'a str),
}

impl EventName<'_> {
    fn is(&self, name: &str) -> bool {
        match self {
            Self::Plain(own) => *own == name,
            Self::Escaped(_) => self.text() == name,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Plain(own) => (*own).to_owned(),
            Self::Escaped(raw) => {
                serde_json::from_str(&format!("\"{raw}\"")).unwrap_or_else(|_| (*raw).to_owned())
            }
        }
    }
}

impl<'a> Came<'a> {
    pub(crate) fn message(bytes: &'a [u8]) -> Self {
        Self { bytes, event: None }
    }

    pub(crate) fn event(name: EventName<'a>, bytes: &'a [u8]) -> Self {
        let event = Some(name);
        Self { bytes, event }
    }

    /// A part of this data, as if it were all of it.
    pub(crate) fn part(self, bytes: &'a [u8]) -> Self {
        Self { bytes, ..self }
    }

    /// Whether this is an event of this name.
    pub(crate) fn is_event(&self, name: &str) -> bool {
        self.event.is_some_and(|event| event.is(name))
    }
}

/// Describes where a channel looks for its stamps.
#[derive(Debug)]
pub(crate) struct Sight {
    pub(crate) at: Place,
    pub(crate) only: Filter,
    /// Messages that pass this filter are snapshots, which restate earlier messages.
    except: Option<Filter>,
    /// The event that carries the stamps.
    event: Option<String>,
}

impl Sight {
    fn new(place: StampPlace) -> Result<Self, Fault> {
        Ok(Self {
            at: Place::new(place.at)?,
            only: Filter::new(place.only)?,
            except: (!place.except.is_empty())
                .then(|| Filter::new(place.except))
                .transpose()?,
            event: place.event,
        })
    }

    /// Whether the channel looks at this data at all. A channel with an event looks only at that event.
    pub(crate) fn hears(&self, came: Came<'_>) -> bool {
        let name = self.event.as_ref();
        name.is_none_or(|name| came.is_event(name))
    }

    /// Whether the message is a snapshot.
    pub(crate) fn says_again(&self, came: Came<'_>) -> bool {
        let again = self.except.as_ref();
        again.is_some_and(|again| again.fits(came.bytes))
    }

    /// The event that the channel looks for and the received event, if they differ.
    pub(crate) fn other_event(&self, came: Came<'_>) -> Option<(String, String)> {
        let (wanted, event) = (self.event.as_ref()?, came.event?);
        (!event.is(wanted)).then(|| (wanted.clone(), event.text()))
    }

    /// Whether such a stamp is at the channel's place, in a message that passes its filters.
    pub(crate) fn reads(
        &self,
        came: Came<'_>,
        is_such: impl Fn(Result<Stamp, Garbled>) -> bool,
    ) -> bool {
        let mut reads = false;
        let first = || find_stamp(came.bytes);
        if self.hears(came) {
            self.at
                .each_stamp(came.bytes, first, |found| reads |= is_such(found));
        }
        reads && self.fits(came)
    }

    /// Whether the channel looks for its stamps in this message.
    pub(crate) fn fits(&self, came: Came<'_>) -> bool {
        self.only.fits(came.bytes) && !self.says_again(came)
    }
}

/// The places in which the channels of a worker look. Users who look in the same place share one entry, which stays in
/// the CPU cache. Thousands of copies would not fit into the cache.
#[derive(Debug, Default)]
pub(crate) struct Sights {
    known: Vec<(StampPlace, Rc<Sight>)>,
}

impl Sights {
    pub(crate) fn of(&mut self, place: StampPlace) -> Result<Rc<Sight>, Fault> {
        if let Some((_, sight)) = self.known.iter().find(|(known, _)| *known == place) {
            return Ok(Rc::clone(sight));
        }
        let sight = Rc::new(Sight::new(place.clone())?);
        if self.known.len() == LIMIT {
            self.known.retain(|(_, sight)| Rc::strong_count(sight) > 1);
        }
        if self.known.len() < LIMIT {
            self.known.push((place, Rc::clone(&sight)));
        }
        Ok(sight)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(name: &str) -> StampPlace {
        StampPlace {
            event: Some(name.to_owned()),
            ..StampPlace::default()
        }
    }

    #[test]
    fn what_looks_for_the_same_is_one_and_what_nobody_uses_makes_room() {
        let mut sights = Sights::default();
        let kept = sights.of(event("kept")).unwrap();
        for number in 0..10 * LIMIT {
            sights.of(event(&number.to_string())).unwrap();
            assert!(sights.known.len() <= LIMIT);
        }
        assert!(Rc::ptr_eq(&kept, &sights.of(event("kept")).unwrap()));
        let all: Vec<_> = (0..LIMIT)
            .map(|number| sights.of(event(&format!("used {number}"))).unwrap())
            .collect();
        let more = sights.of(event("one more")).unwrap();
        assert_eq!((Rc::strong_count(&more), sights.known.len()), (1, LIMIT));
        drop(all);
    }
}
