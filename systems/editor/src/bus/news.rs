//! News that a node sends to the other nodes, and its encoding. The encoding consists of the node's number, a kind, the
//! length of the first part, the first part, and the second part. All numbers are little-endian.

use std::sync::Arc;

use bytes::{BufMut, BytesMut};
use serde::{Deserialize, Serialize};

use super::letter::Letter;

/// A room member that is connected to another node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Visitor {
    pub(crate) id: Arc<str>,
    pub(crate) username: Arc<str>,
    /// Time of joining, in milliseconds since the Unix epoch. Lists of members are sorted by this time.
    pub(crate) since: u64,
}

/// News about a room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum News<'a> {
    /// The sender's state vector. Requests the updates that the sender lacks, and each node's list of clients.
    Hello { known: &'a [u8] },
    /// News from the sender may have been lost. The other nodes should request its state.
    Lost,
    /// All clients of the sending node: the members (as JSON), and the presence of Yjs clients.
    Here {
        visitors: Vec<Visitor>,
        presence: &'a [u8],
    },
    /// A member joined or changed its name.
    Joined { visitor: Visitor },
    /// A member left.
    Left { id: &'a str },
    /// A change to the document by a Yjs client.
    Update { update: &'a [u8] },
    /// A member replaced the text. `packet` is for members, and `update` is the change to the document.
    Code { packet: &'a str, update: &'a [u8] },
    /// A caret moved. Only the newest caret of each sender matters.
    Caret { sender: u64, packet: &'a str },
    /// The presence of Yjs clients changed.
    Presence { update: &'a [u8] },
    /// A packet for one member.
    Pass { to: &'a str, packet: &'a str },
    /// A packet for all members.
    Tell { packet: &'a str },
}

impl<'a> News<'a> {
    /// Encodes the news as sent by `node`.
    pub(super) fn write(&self, node: u64) -> Letter {
        let json = |visitors: &[Visitor]| serde_json::to_vec(visitors).unwrap_or_default();
        let (kind, first, second): (u8, Vec<u8>, &[u8]) = match self {
            Self::Hello { known } => (0, Vec::new(), known),
            Self::Here { visitors, presence } => (1, json(visitors), presence),
            Self::Joined { visitor } => (2, json(std::slice::from_ref(visitor)), &[]),
            Self::Left { id } => (3, Vec::new(), id.as_bytes()),
            Self::Update { update } => (4, Vec::new(), update),
            Self::Code { packet, update } => (5, packet.as_bytes().to_vec(), update),
            Self::Caret { sender, packet } => (6, sender.to_le_bytes().to_vec(), packet.as_bytes()),
            Self::Presence { update } => (7, Vec::new(), update),
            Self::Pass { to, packet } => (8, to.as_bytes().to_vec(), packet.as_bytes()),
            Self::Tell { packet } => (9, Vec::new(), packet.as_bytes()),
            Self::Lost => (10, Vec::new(), &[]),
        };
        let mut letter = BytesMut::with_capacity(13 + first.len() + second.len());
        letter.put_u64_le(node);
        letter.put_u8(kind);
        letter.put_u32_le(u32::try_from(first.len()).unwrap_or(u32::MAX));
        letter.put_slice(&first);
        letter.put_slice(second);
        letter.freeze()
    }

    /// Decodes a message into the number of the sending node and the news. `None` if the message is malformed.
    pub(super) fn read(letter: &'a [u8]) -> Option<(u64, Self)> {
        let (node, rest) = letter.split_first_chunk()?;
        let (&kind, rest) = rest.split_first()?;
        let (length, rest) = rest.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (first, second) = rest.split_at_checked(length)?;
        let text = |bytes: &'a [u8]| str::from_utf8(bytes).ok();
        let visitors = || serde_json::from_slice::<Vec<Visitor>>(first).ok();
        let news = match kind {
            0 => Self::Hello { known: second },
            1 => Self::Here {
                visitors: visitors()?,
                presence: second,
            },
            2 => Self::Joined {
                visitor: visitors()?.pop()?,
            },
            3 => Self::Left { id: text(second)? },
            4 => Self::Update { update: second },
            5 => Self::Code {
                packet: text(first)?,
                update: second,
            },
            6 => Self::Caret {
                sender: u64::from_le_bytes(first.try_into().ok()?),
                packet: text(second)?,
            },
            7 => Self::Presence { update: second },
            8 => Self::Pass {
                to: text(first)?,
                packet: text(second)?,
            },
            9 => Self::Tell {
                packet: text(second)?,
            },
            10 => Self::Lost,
            _ => return None,
        };
        Some((u64::from_le_bytes(*node), news))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_kind_of_news_reads_back() {
        let visitor = Visitor {
            id: "id".into(),
            username: "ada".into(),
            since: 7,
        };
        let all = [
            News::Hello { known: &[1, 2] },
            News::Here {
                visitors: vec![visitor.clone(), visitor.clone()],
                presence: &[7],
            },
            News::Joined { visitor },
            News::Left { id: "id" },
            News::Update { update: &[3] },
            News::Code {
                packet: "42[]",
                update: &[4, 5],
            },
            News::Caret {
                sender: u64::MAX,
                packet: "42[]",
            },
            News::Presence { update: &[6] },
            News::Pass {
                to: "id",
                packet: "42[]",
            },
            News::Tell { packet: "42[]" },
            News::Lost,
        ];
        for news in all {
            assert_eq!(News::read(&news.write(9)), Some((9, news)));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused_without_panic(letter in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = News::read(&letter);
        }
    }
}
