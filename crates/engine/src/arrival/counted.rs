//! Handles received bytes of deliveries without a socket, so that a benchmark can measure the cost of one
//! delivery.

use std::collections::VecDeque;

use delivery::{Audience, ChannelIndex};
use model::{GroupId, Nanos};
use script::host::{StampAt, StampPlace};
use wire::socketio::Session;
use wire::websocket::{Event, FrameParser};

use super::{Arrival, Outcome};
use crate::level::Span;
use crate::people::Group;
use crate::recorder::Recorder;
use crate::socket::{Receiving, Sights, SocketState};
use crate::socketio::Talk;

/// The messages with which the server opens a Socket.IO connection.
const OPENING: [&str; 2] = [
    r#"0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#,
    r#"40{"sid":"b"}"#,
];

/// A channel of the room.
struct Followed {
    name: &'static str,
    place: StampPlace,
    keeps: bool,
}

/// The members of a room, who follow each other's messages.
#[derive(Debug)]
pub struct Room {
    group: Group,
    channels: Vec<ChannelIndex>,
    recorder: Recorder,
    members: Vec<(SocketState, FrameParser)>,
    now: Nanos,
    moved: u32,
}

impl Room {
    /// Creates an editor's room of `members`, each with an open Socket.IO connection. They follow edits and carets.
    pub fn editor(members: u32) -> Self {
        let followed = |name, event: &str, at: &str, keeps| Followed {
            name,
            place: StampPlace {
                at: Some(StampAt::Pointer(at.to_owned())),
                event: Some(event.to_owned()),
                ..StampPlace::default()
            },
            keeps,
        };
        let channels = [
            followed("edit", "code-change", "/code", true),
            followed("caret", "cursor-change", "/cursor/tag", false),
        ];
        let talks = || SocketState {
            talk: Some(Box::new(Talk::new(Session::new(
                "/".to_owned(),
                None,
                1 << 20,
            )))),
            ..SocketState::default()
        };
        let mut room = Self::new(members, &channels, talks);
        for member in 0..members {
            for said in OPENING {
                room.reads(member, &frame(said));
            }
        }
        room
    }

    /// Creates a chat room of `members`, each with an open WebSocket.
    pub fn chat(members: u32) -> Self {
        let said = Followed {
            name: "said",
            place: StampPlace::default(),
            keeps: false,
        };
        Self::new(members, &[said], SocketState::default)
    }

    fn new(members: u32, followed: &[Followed], opened: impl Fn() -> SocketState) -> Self {
        let mut recorder = Recorder::default();
        recorder.hold = Span {
            start: Nanos::ZERO,
            end: Nanos::MAX,
        };
        let mut group = Group::new(GroupId(5), 0, vec![], vec![], 7, Nanos::from_secs(1));
        let mut sights = Sights::default();
        let mut members: Vec<_> = (0..members)
            .map(|_| (opened(), FrameParser::default()))
            .collect();
        let mut channels = Vec::new();
        for one in followed {
            let tally = recorder.tally(one.name);
            let deadline = Nanos::from_secs(1);
            let channel = group.ledger.add_channel(tally, Audience::Others, deadline);
            for (member, (state, _)) in (0..).zip(&mut members) {
                group.ledger.join(channel, member);
                let sight = sights.of(one.place.clone());
                let receiving = sight
                    .map(|sight| Receiving::new((0, channel, tally), sight, (one.keeps, false)));
                state.followed.receives.extend(receiving);
            }
            channels.push(channel);
        }
        Self {
            group,
            channels,
            recorder,
            members,
            now: Nanos::from_secs(1),
            moved: 0,
        }
    }

    /// Moves the caret of the next member, and delivers the move to all others. Returns the number of deliveries so
    /// far.
    pub fn move_a_caret(&mut self) -> u64 {
        self.send(1, |stamp| {
            format!(
                r#"42["cursor-change",{{"socketId":"fFhJRqCzBrRoeSz6AAAB","cursor":{{"line":1,"ch":2,"tag":"{stamp}"}},"username":"u17"}}]"#
            )
        })
    }

    /// The next member sends this many messages, which each of the others receives in one read. Returns the number of
    /// deliveries so far.
    pub fn say_at_once(&mut self, count: u32) -> u64 {
        self.send(count, |stamp| {
            format!(r#"{{"type":"said","pad":"0123456789012345678","text":"{stamp}"}}"#)
        })
    }

    /// Sends messages on the channel that was added last.
    fn send(&mut self, count: u32, message: impl Fn(&str) -> String) -> u64 {
        let members = u32::try_from(self.members.len()).unwrap_or(u32::MAX);
        let sender = self.moved % members;
        self.moved += 1;
        self.now += Nanos::from_millis(500);
        let mut bytes = Vec::new();
        for &channel in self
            .channels
            .last()
            .into_iter()
            .cycle()
            .take(count as usize)
        {
            let (now, tallies) = (self.now, &mut self.recorder.tallies);
            let stamp = self.group.ledger.stamp(channel, sender, now, tallies);
            self.group.ledger.send(sender, now, now, true, tallies);
            bytes.extend(frame(&message(&stamp.encode())));
        }
        for member in (0..members).filter(|&member| member != sender) {
            self.reads(member, &bytes);
        }
        self.recorder.windows.open.deliveries
    }

    fn reads(&mut self, member: u32, bytes: &[u8]) {
        let (state, parser) = &mut self.members[member as usize];
        let mut wakes = VecDeque::new();
        let mut arrival = Arrival {
            key: member,
            now: self.now + Nanos::from_millis(1),
            member,
            group: Some(&mut self.group),
            state,
            recorder: &mut self.recorder,
            wakes: &mut wakes,
            talked: Outcome::default(),
        };
        // A protocol error needs no handling, because it makes the number of deliveries too small.
        let _ = parser.on_bytes(bytes, &mut |event: Event<'_>| arrival.on(event));
    }
}

/// Encodes a text frame of the server.
fn frame(text: &str) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap_or(0);
    let head = match u8::try_from(length) {
        Ok(length @ 0..126) => vec![0x81, length],
        _ => [&[0x81, 126], length.to_be_bytes().as_slice()].concat(),
    };
    [head.as_slice(), text.as_bytes()].concat()
}
