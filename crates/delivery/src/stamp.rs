use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use memchr::memchr_iter;
use model::{GroupId, Nanos};

use crate::base64url;

/// The prefix of every stamp. The digit is the version of the format.
const PREFIX: &[u8; 4] = b"hc1_";
const BODY_BYTES: usize = 27;
/// Size of the body without the check, in bytes.
const FIELD_BYTES: usize = 24;
const BODY_LENGTH: usize = 36;
/// Length of a stamp in characters: the prefix and 36 base64url characters. All are safe in JSON, URLs, HTML and logs.
pub const STAMP_LENGTH: usize = PREFIX.len() + BODY_LENGTH;
/// Sending times are stored in tenths of a microsecond, so that 48 bits suffice for 325 days.
const TICK_NANOS: u64 = 100;

/// Identifies one message. Its text form is sent inside the message's payload.
///
/// Wire form: `hc1_` and the base64url of 27 bytes, all big-endian: run (4), group (4), channel (2),
/// sender (4), sequence (4), planned sending time in units of 100 ns (6), check (3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// The run. A stamp from another run counts as misdelivered.
    pub run: u32,
    /// The group in the run.
    pub group: GroupId,
    /// The channel of the group.
    pub channel: u16,
    /// The member of the group that sends the message.
    pub sender: u32,
    /// The number of the message among all messages of this sender on this channel, from 0.
    pub sequence: u32,
    /// The planned time of sending on the run's clock, with a resolution of 100 ns.
    pub made: Nanos,
}

/// Error: text that begins like a stamp but is truncated or altered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Garbled;

impl Stamp {
    /// Encodes the stamp as 40 characters to put into a payload.
    pub fn encode(&self) -> String {
        let mut bytes = [0; BODY_BYTES];
        bytes[..4].copy_from_slice(&self.run.to_be_bytes());
        bytes[4..8].copy_from_slice(&self.group.0.to_be_bytes());
        bytes[8..10].copy_from_slice(&self.channel.to_be_bytes());
        bytes[10..14].copy_from_slice(&self.sender.to_be_bytes());
        bytes[14..18].copy_from_slice(&self.sequence.to_be_bytes());
        bytes[18..24].copy_from_slice(&(self.made.0 / TICK_NANOS).to_be_bytes()[2..]);
        if let Some(fields) = bytes.first_chunk() {
            let check = check_of(fields);
            bytes[FIELD_BYTES..].copy_from_slice(&check);
        }
        let mut text = String::with_capacity(STAMP_LENGTH);
        text.push_str("hc1_");
        URL_SAFE_NO_PAD.encode_string(bytes, &mut text);
        text
    }

    /// The stamp that begins at exactly this byte. `None` if the text there does not begin like a stamp.
    pub fn at(payload: &[u8], offset: usize) -> Option<Result<Self, Garbled>> {
        let found = payload.get(offset..)?;
        found.starts_with(PREFIX).then(|| Self::first_of(found))
    }

    /// Decodes the stamp at the beginning of `found`, which begins with the prefix.
    #[inline]
    fn first_of(found: &[u8]) -> Result<Self, Garbled> {
        let body = found.get(PREFIX.len()..).ok_or(Garbled)?;
        Self::decode(body.first_chunk().ok_or(Garbled)?)
    }

    fn decode(body: &[u8; BODY_LENGTH]) -> Result<Self, Garbled> {
        let bytes: [u8; BODY_BYTES] = base64url::decode(body).ok_or(Garbled)?;
        let [fields @ .., a, b, c] = bytes;
        if [a, b, c] != check_of(&fields) {
            return Err(Garbled);
        }
        let word = |at: usize| {
            u32::from_be_bytes([fields[at], fields[at + 1], fields[at + 2], fields[at + 3]])
        };
        let mut ticks = [0; 8];
        ticks[2..].copy_from_slice(&fields[18..24]);
        Ok(Self {
            run: word(0),
            group: GroupId(word(4)),
            channel: u16::from_be_bytes([fields[8], fields[9]]),
            sender: word(10),
            sequence: word(14),
            made: Nanos(u64::from_be_bytes(ticks) * TICK_NANOS),
        })
    }
}

/// The position of the first stamp in a payload, valid or garbled. The search is cheap, so do it before locating the
/// place where the stamp should be.
pub fn find_stamp(payload: &[u8]) -> Option<usize> {
    // What follows a stamp is often too short for another one.
    if payload.len() < PREFIX.len() {
        return None;
    }
    // Searches for the last byte of the prefix, which is the rarest in typical payloads. A search for all four bytes
    // takes three times as long.
    let before = PREFIX.len() - 1;
    memchr_iter(PREFIX[before], payload)
        .filter_map(|last| last.checked_sub(before))
        .find(|&start| payload[start..].starts_with(PREFIX))
}

/// Every stamp in a payload, in order. Text that begins like a stamp but is truncated or altered is [`Garbled`].
pub fn stamps_in(payload: &[u8]) -> impl Iterator<Item = Result<Stamp, Garbled>> + '_ {
    stamps_from(payload, find_stamp(payload))
}

/// Like [`stamps_in`], for a caller that already has the result of [`find_stamp`].
pub fn stamps_from(
    payload: &[u8],
    first: Option<usize>,
) -> impl Iterator<Item = Result<Stamp, Garbled>> + '_ {
    let mut next = first.and_then(|first| payload.get(first..));
    std::iter::from_fn(move || {
        let found = next.take()?;
        let stamp = Stamp::first_of(found);
        next = after(found, stamp.is_ok());
        Some(stamp)
    })
}

/// Calls `stamp` for every stamp of [`stamps_from`]. Measured: the iterator copies each received stamp several times.
#[inline]
pub fn each_stamp_from(
    payload: &[u8],
    first: Option<usize>,
    mut stamp: impl FnMut(Result<Stamp, Garbled>),
) {
    let mut rest = first.and_then(|first| payload.get(first..));
    while let Some(found) = rest {
        let one = Stamp::first_of(found);
        rest = after(found, one.is_ok());
        stamp(one);
    }
}

/// The next stamp in the text after the stamp at the beginning of `found`. A valid stamp is skipped as a whole, because
/// about one stamp in 500,000 contains the prefix a second time by chance.
#[inline]
fn after(found: &[u8], is_valid: bool) -> Option<&[u8]> {
    let length = if is_valid { STAMP_LENGTH } else { PREFIX.len() };
    let rest = found.get(length..)?;
    find_stamp(rest).and_then(|at| rest.get(at..))
}

/// Computes the check: three multiplications folded to 24 bits. The check detects systems that truncate or alter text,
/// but does not protect against an attacker. Each step is invertible, so a change in one word always changes the hash
/// before folding.
fn check_of(fields: &[u8; FIELD_BYTES]) -> [u8; 3] {
    let (words, _) = fields.as_chunks();
    let hash = words.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &word| {
        let mixed = (hash ^ u64::from_be_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 29)
    });
    let folded = (hash ^ (hash >> 24) ^ (hash >> 48)).to_be_bytes();
    [folded[5], folded[6], folded[7]]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_stamp() -> impl Strategy<Value = Stamp> {
        (
            any::<u32>(),
            any::<u32>(),
            any::<u16>(),
            any::<u32>(),
            any::<u32>(),
            0..(1_u64 << 48),
        )
            .prop_map(|(run, group, channel, sender, sequence, ticks)| Stamp {
                run,
                group: GroupId(group),
                channel,
                sender,
                sequence,
                made: Nanos(ticks * TICK_NANOS),
            })
    }

    proptest! {
        #[test]
        fn is_found_again_inside_any_text(stamp in any_stamp(), before in "[^_]{0,40}", after in "[^_]{0,40}") {
            let text = format!("{before}{}{after}", stamp.encode());
            prop_assert_eq!(stamps_in(text.as_bytes()).collect::<Vec<_>>(), vec![Ok(stamp)]);
        }

        #[test]
        fn one_changed_character_is_noticed(stamp in any_stamp(), at in 4..STAMP_LENGTH, other in "[A-Za-z0-9_-]") {
            let mut text = stamp.encode().into_bytes();
            prop_assume!(text[at] != other.as_bytes()[0]);
            text[at] = other.as_bytes()[0];
            prop_assert_eq!(stamps_in(&text).next(), Some(Err(Garbled)));
        }

        #[test]
        fn random_bytes_are_no_stamps(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(stamps_in(&bytes).all(|found| found.is_err()));
        }
    }

    #[test]
    fn is_safe_in_json_and_urls_and_has_the_stated_length() {
        let stamp = Stamp {
            run: u32::MAX,
            group: GroupId(7),
            channel: 1,
            sender: 2,
            sequence: 3,
            made: Nanos(400),
        };
        let text = stamp.encode();
        assert_eq!(text.len(), STAMP_LENGTH);
        assert!(
            text.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)),
            "{text}"
        );
    }

    #[test]
    fn a_prefix_that_stands_in_a_stamp_by_chance_begins_no_second_one() {
        let stamp = Stamp {
            run: u32::from_be_bytes([0x85, 0xcd, 0x7f, 0]),
            group: GroupId(1),
            channel: 0,
            sender: 0,
            sequence: 0,
            made: Nanos(0),
        };
        let text = stamp.encode();
        assert!(text.starts_with("hc1_hc1_"), "{text}");
        let twice = format!("{text} {text}");
        assert_eq!(
            stamps_in(twice.as_bytes()).collect::<Vec<_>>(),
            [Ok(stamp), Ok(stamp)]
        );
    }

    #[test]
    fn at_a_byte_offset_a_stamp_is_read_and_nowhere_else() {
        let stamp = Stamp {
            run: 1,
            group: GroupId(2),
            channel: 3,
            sender: 4,
            sequence: 5,
            made: Nanos(600),
        };
        let payload = [b"\0\xff_hc1".as_slice(), stamp.encode().as_bytes()].concat();
        assert_eq!(Stamp::at(&payload, 6), Some(Ok(stamp)));
        assert_eq!(Stamp::at(&payload, 5), None);
        assert_eq!(Stamp::at(&payload, usize::MAX), None);
        assert_eq!(Stamp::at(&payload[..40], 6), Some(Err(Garbled)));
        assert_eq!(find_stamp(&payload), Some(6));
        assert_eq!(find_stamp(b"_hc1 hc_ c1_"), None);
    }

    /// The expected text was calculated independently of this code, from the description of the wire form and the
    /// check.
    #[test]
    fn the_text_of_a_stamp_never_changes() {
        let stamp = |run, group, (channel, sender, sequence), made| Stamp {
            run,
            group: GroupId(group),
            channel,
            sender,
            sequence,
            made: Nanos(made),
        };
        for (stamp, text) in [
            (
                stamp(1, 1, (0, 0, 0), 0),
                "hc1_AAAAAQAAAAEAAAAAAAAAAAAAAAAAAAAAvwnV",
            ),
            (
                stamp(0x0102_0304, 7, (1, 2, 3), 123_456_789_000),
                "hc1_AQIDBAAAAAcAAQAAAAIAAAADAABJlgLSr0N5",
            ),
            (
                stamp(
                    0xfedc_ba98,
                    0x7654_3210,
                    (0xface, 0xdead_beef, 0x1234_5678),
                    123_456_789_012_300,
                ),
                "hc1__ty6mHZUMhD6zt6tvu8SNFZ4AR9x-wTL32gb",
            ),
        ] {
            assert_eq!(stamp.encode(), text);
        }
    }

    #[test]
    fn a_cut_stamp_is_garbled() {
        let text = Stamp {
            run: 1,
            group: GroupId(1),
            channel: 0,
            sender: 0,
            sequence: 0,
            made: Nanos(0),
        }
        .encode();
        assert_eq!(
            stamps_in(&text.as_bytes()[..STAMP_LENGTH - 1]).next(),
            Some(Err(Garbled))
        );
    }
}
