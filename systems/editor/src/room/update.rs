//! Checks an update of Yjs (encoding version 1) before the library decodes it. The library trusts what it reads:
//! it recurses into nested values as deeply as they go, reserves memory for any count that it finds, and
//! calculates with any number. What passes here costs it neither more stack nor more memory than its bytes warrant.

use super::stack::NotDone;

/// Values (arrays, maps) may be nested this deeply. JSON inside of updates has the library's own limit of 128.
const VALUE_DEPTH: usize = 100;
/// The library calculates with 32-bit signed clocks.
const MAX_CLOCK: u64 = i32::MAX as u64;
/// Client ids are integers of JavaScript.
const MAX_CLIENT: u64 = (1 << 53) - 1;

const HAS_ORIGIN: u8 = 0x80;
const HAS_RIGHT_ORIGIN: u8 = 0x40;
const HAS_PARENT_SUB: u8 = 0x20;

/// Why an update is not applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UpdateError {
    /// It is no update.
    #[error("not an update of Yjs")]
    Malformed,
    /// Values or shared types in it are nested too deeply.
    #[error("an update of Yjs that is nested too deeply")]
    TooNested,
    /// The thread that it needs cannot be started now.
    #[error("no thread can be started for an update of Yjs")]
    NoThread,
}

impl From<NotDone> for UpdateError {
    fn from(error: NotDone) -> Self {
        match error {
            NotDone::NoThread => Self::NoThread,
            // What the library cannot bear is no update, though it passed the checks.
            NotDone::Panicked => Self::Malformed,
        }
    }
}

type Checked<T> = Result<T, UpdateError>;

/// Checks `update`; the number of shared types that it adds inside of others. They can be nested in each other, so
/// that number bounds how deep the library recurses when they are deleted.
pub(super) fn check(update: &[u8]) -> Checked<usize> {
    let mut reader = Reader(update);
    let mut types = 0;
    for _ in 0..reader.count()? {
        let blocks = reader.count()?;
        reader.client()?;
        let mut clock = reader.clock()?;
        for _ in 0..blocks {
            let (length, is_type) = reader.block()?;
            clock = advance(clock, length)?;
            types += usize::from(is_type);
        }
    }
    for _ in 0..reader.count()? {
        reader.client()?;
        for _ in 0..reader.count()? {
            let start = reader.clock()?;
            advance(start, reader.clock()?)?;
        }
    }
    Ok(types)
}

fn advance(clock: u64, length: u64) -> Checked<u64> {
    let end = clock + length;
    if end > MAX_CLOCK {
        return Err(UpdateError::Malformed);
    }
    Ok(end)
}

/// Reads from the front of what is left.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Checked<u8> {
        let (first, rest) = self.0.split_first().ok_or(UpdateError::Malformed)?;
        self.0 = rest;
        Ok(*first)
    }

    fn bytes(&mut self, length: usize) -> Checked<&'a [u8]> {
        let (bytes, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(UpdateError::Malformed)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// A number of variable length, least bits first, `max` at most.
    fn number(&mut self, max: u64) -> Checked<u64> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return if number <= max {
                    Ok(number)
                } else {
                    Err(UpdateError::Malformed)
                };
            }
        }
        Err(UpdateError::Malformed)
    }

    /// A number of things to come, each of which takes one byte at least.
    fn count(&mut self) -> Checked<u64> {
        self.number(self.0.len() as u64)
    }

    fn client(&mut self) -> Checked<u64> {
        self.number(MAX_CLIENT)
    }

    fn clock(&mut self) -> Checked<u64> {
        self.number(MAX_CLOCK)
    }

    fn id(&mut self) -> Checked<()> {
        self.client()?;
        self.clock()?;
        Ok(())
    }

    fn buffer(&mut self) -> Checked<&'a [u8]> {
        let length = self.count()?;
        self.bytes(usize::try_from(length).map_err(|_| UpdateError::Malformed)?)
    }

    fn string(&mut self) -> Checked<&'a str> {
        str::from_utf8(self.buffer()?).map_err(|_| UpdateError::Malformed)
    }

    /// One block: how many clocks it takes, and whether it is a shared type.
    fn block(&mut self) -> Checked<(u64, bool)> {
        const GARBAGE: u8 = 0;
        const SKIP: u8 = 10;
        let info = self.byte()?;
        if info == GARBAGE || info == SKIP {
            return match self.clock()? {
                0 => Err(UpdateError::Malformed),
                length => Ok((length, false)),
            };
        }
        for origin in [HAS_ORIGIN, HAS_RIGHT_ORIGIN] {
            if info & origin != 0 {
                self.id()?;
            }
        }
        if info & (HAS_ORIGIN | HAS_RIGHT_ORIGIN) == 0 {
            if self.number(u64::from(u32::MAX))? == 1 {
                self.string()?;
            } else {
                self.id()?;
            }
            if info & HAS_PARENT_SUB != 0 {
                self.string()?;
            }
        }
        self.content(info & 0x0F)
    }

    fn content(&mut self, kind: u8) -> Checked<(u64, bool)> {
        let length = match kind {
            1 => self.clock()?,
            3 => self.buffer().map(|_| 1)?,
            4 => self.string()?.encode_utf16().count() as u64,
            // JSON in a string: for an embedded object, and behind a format's key.
            5 => self.string().map(|_| 1)?,
            6 => self.string().and_then(|_| self.string()).map(|_| 1)?,
            7 => return self.shared_type().map(|()| (1, true)),
            8 => {
                let count = self.count()?;
                for _ in 0..count {
                    self.value(VALUE_DEPTH)?;
                }
                count
            }
            // 2: obsolete, and misread by the library. 9: a document inside of the document, which nobody could
            // open here; the library would never free it.
            _ => return Err(UpdateError::Malformed),
        };
        Ok((length, false))
    }

    fn shared_type(&mut self) -> Checked<()> {
        match self.byte()? {
            // Array, map, text, XML fragment, hook and text; one whose type is not known.
            0..=2 | 4..=6 | 15 => Ok(()),
            // An XML element has a name.
            3 => self.string().map(drop),
            _ => Err(UpdateError::Malformed),
        }
    }

    fn value(&mut self, depth: usize) -> Checked<()> {
        match self.byte()? {
            // Nothing, and the two truths.
            120 | 121 | 126 | 127 => Ok(()),
            // An integer: its first byte holds a sign as well.
            125 => {
                for _ in 0..9 {
                    if self.byte()? < 0x80 {
                        return Ok(());
                    }
                }
                Err(UpdateError::Malformed)
            }
            124 => self.bytes(4).map(drop),
            122 | 123 => self.bytes(8).map(drop),
            119 => self.string().map(drop),
            116 => self.buffer().map(drop),
            kind @ (117 | 118) => {
                let depth = depth.checked_sub(1).ok_or(UpdateError::TooNested)?;
                for _ in 0..self.count()? {
                    if kind == 118 {
                        self.string()?;
                    }
                    self.value(depth)?;
                }
                Ok(())
            }
            _ => Err(UpdateError::Malformed),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use yrs::updates::decoder::Decode;
    use yrs::{Array, Doc, Map, MapPrelim, ReadTxn, StateVector, Text, Transact, Update};
    use yrs::{XmlElementPrelim, XmlFragment, XmlTextPrelim};

    use super::*;

    /// An array in arrays, `depth` of them, in one update; by hand, as the encoding is described.
    pub(in crate::room) fn nested_value(depth: usize) -> Vec<u8> {
        let mut update = vec![1, 1, 7, 0, 8, 1, 1, b'v', 1];
        update.extend([117, 1].repeat(depth));
        update.extend([126, 0]);
        update
    }

    #[test]
    fn values_nested_up_to_the_limit_are_taken_and_deeper_ones_refused_whatever_their_depth() {
        assert_eq!(check(&nested_value(VALUE_DEPTH)), Ok(0));
        for depth in [VALUE_DEPTH + 1, 24_000, 499_000, 10_000_000] {
            assert_eq!(check(&nested_value(depth)), Err(UpdateError::TooNested));
        }
    }

    #[test]
    fn what_the_library_writes_is_taken_and_its_nested_types_are_counted() {
        let doc = Doc::new();
        let (text, list) = (
            doc.get_or_insert_text("code"),
            doc.get_or_insert_array("list"),
        );
        let tree = doc.get_or_insert_xml_fragment("tree");
        let mut transaction = doc.transact_mut();
        text.insert(&mut transaction, 0, "let grüße = '👋';");
        text.remove_range(&mut transaction, 3, 2);
        list.push_back(&mut transaction, -7_i64);
        list.push_back(&mut transaction, 1.5);
        list.push_back(&mut transaction, vec![1_u8, 2, 3]);
        let map = list.push_back(&mut transaction, MapPrelim::default());
        map.insert(&mut transaction, "key", true);
        tree.push_back(&mut transaction, XmlElementPrelim::empty("p"));
        tree.push_back(&mut transaction, XmlTextPrelim::new("words"));
        drop(transaction);
        let update = doc
            .transact()
            .encode_state_as_update_v1(&StateVector::default());
        assert_eq!(check(&update), Ok(3));
    }

    proptest! {
        #[test]
        fn what_is_taken_is_decoded_by_the_library_without_panic(
            bytes in prop::collection::vec(prop_oneof![Just(0), Just(1), Just(7), 115_u8..128, any::<u8>()], 0..40)
        ) {
            if check(&bytes).is_ok() {
                let _ = Update::decode_v1(&bytes);
            }
        }
    }
}
