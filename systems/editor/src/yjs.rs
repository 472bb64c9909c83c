//! The messages of the sync and awareness protocols of Yjs.

use std::iter;

use yrs::StateVector;
use yrs::encoding::read::{Cursor, Error, Read};
use yrs::sync::protocol::{
    MSG_AWARENESS, MSG_QUERY_AWARENESS, MSG_SYNC, MSG_SYNC_STEP_1, MSG_SYNC_STEP_2, MSG_SYNC_UPDATE,
};
use yrs::sync::{AwarenessUpdate, Message, SyncMessage};
use yrs::updates::decoder::Decode;
use yrs::updates::encoder::Encode;

use crate::line::Frame;

/// A message from a client.
#[derive(Debug, PartialEq)]
pub(crate) enum Said {
    /// A client's state vector, which requests the updates that the client lacks.
    Knows(StateVector),
    /// An update to the document.
    Changed(Vec<u8>),
    /// The awareness states of clients.
    Presence(AwarenessUpdate),
    /// A request for all awareness states.
    Who,
}

/// Parses the messages in a frame, one after another. A truncated message or an unknown kind yields an error as the
/// last item.
pub(crate) fn read(bytes: &[u8]) -> impl Iterator<Item = Result<Said, Error>> {
    let mut cursor = Cursor::new(bytes);
    let mut broken = false;
    iter::from_fn(move || {
        if broken || !cursor.has_content() {
            return None;
        }
        let said = next(&mut cursor);
        broken = said.is_err();
        Some(said)
    })
}

fn next(cursor: &mut Cursor<'_>) -> Result<Said, Error> {
    Ok(match cursor.read_var::<u8>()? {
        MSG_SYNC => match cursor.read_var::<u8>()? {
            MSG_SYNC_STEP_1 => Said::Knows(StateVector::decode_v1(counted(cursor)?)?),
            MSG_SYNC_STEP_2 | MSG_SYNC_UPDATE => Said::Changed(counted(cursor)?.to_vec()),
            _ => return Err(Error::UnexpectedValue),
        },
        MSG_AWARENESS => Said::Presence(AwarenessUpdate::decode_v1(counted(cursor)?)?),
        MSG_QUERY_AWARENESS => Said::Who,
        _ => return Err(Error::UnexpectedValue),
    })
}

/// Returns the content of a message. The content begins with an element count, for which the decoder would allocate
/// memory. Therefore a count that exceeds the content's size is refused.
fn counted<'a>(cursor: &'a mut Cursor<'_>) -> Result<&'a [u8], Error> {
    let content = cursor.read_buf()?;
    let count: u64 = Cursor::new(content).read_var()?;
    if count > content.len() as u64 {
        return Err(Error::UnexpectedValue);
    }
    Ok(content)
}

/// Builds a message with an update from other clients.
pub(crate) fn update(update: &[u8]) -> Frame {
    frame(&Message::Sync(SyncMessage::Update(update.to_vec())))
}

/// Builds a message with the server's state vector, which requests the client's updates.
pub(crate) fn step_1(known: StateVector) -> Frame {
    frame(&Message::Sync(SyncMessage::SyncStep1(known)))
}

/// Builds the response to a state vector, with the updates that the client lacks.
pub(crate) fn step_2(update: Vec<u8>) -> Frame {
    frame(&Message::Sync(SyncMessage::SyncStep2(update)))
}

/// Builds a message with awareness states.
pub(crate) fn presence(update: AwarenessUpdate) -> Frame {
    frame(&Message::Awareness(update))
}

fn frame(message: &Message) -> Frame {
    Frame::binary(&message.encode_v1())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;
    use yrs::sync::awareness::AwarenessUpdateEntry;

    use super::*;

    fn all(bytes: &[u8]) -> Result<Vec<Said>, Error> {
        read(bytes).collect()
    }

    fn presence_of(json: &str) -> AwarenessUpdate {
        let entry = AwarenessUpdateEntry {
            clock: 1,
            json: json.into(),
        };
        AwarenessUpdate {
            clients: HashMap::from([(yrs::block::ClientID::new(7), entry)]),
        }
    }

    #[test]
    fn several_messages_in_one_frame_are_all_read() {
        let mut bytes = Message::Sync(SyncMessage::SyncStep1(StateVector::default())).encode_v1();
        bytes.extend(Message::Sync(SyncMessage::Update(vec![0, 0])).encode_v1());
        bytes.extend(Message::Awareness(presence_of("{}")).encode_v1());
        bytes.extend(Message::AwarenessQuery.encode_v1());
        let expected = [
            Said::Knows(StateVector::default()),
            Said::Changed(vec![0, 0]),
            Said::Presence(presence_of("{}")),
            Said::Who,
        ];
        assert_eq!(all(&bytes).unwrap(), expected);
    }

    #[test]
    fn a_message_that_was_cut_anywhere_is_none() {
        let whole = Message::Awareness(presence_of("{\"name\":\"ada\"}")).encode_v1();
        for length in 1..whole.len() {
            assert!(all(&whole[..length]).is_err(), "{length} bytes of it");
        }
    }

    #[test]
    fn a_number_that_the_bytes_cannot_hold_is_refused_before_memory_is_taken_for_it() {
        let billion = [0x80, 0x94, 0xeb, 0xdc, 0x03];
        for kind in [&[1][..], &[0, 0], &[0, 1], &[0, 2]] {
            let mut bytes = kind.to_vec();
            bytes.push(5);
            bytes.extend(billion);
            assert!(all(&bytes).is_err(), "{kind:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = all(&bytes);
        }
    }
}
