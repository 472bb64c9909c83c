//! Handles received bytes of Socket.IO deliveries without a socket, so that a benchmark can measure the cost of one
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

/// The messages with which the server opens a socket.
const OPENING: [&str; 2] = [
    r#"0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#,
    r#"40{"sid":"b"}"#,
];

/// The members of an editor's room, who follow each other's edits and carets.
#[derive(Debug)]
pub struct Room {
    group: Group,
    caret: ChannelIndex,
    recorder: Recorder,
    members: Vec<(SocketState, FrameParser)>,
    now: Nanos,
    moved: u32,
}

impl Room {
    /// Creates a room of `members`, each with an open socket.
    pub fn new(members: u32) -> Self {
        let mut recorder = Recorder::default();
        recorder.hold = Span {
            start: Nanos::ZERO,
            end: Nanos::MAX,
        };
        let mut group = Group::new(GroupId(5), 0, vec![], vec![], 7, Nanos::from_secs(1));
        let mut channel = |name: &str| {
            let tally = recorder.tally(name);
            let deadline = Nanos::from_secs(1);
            group.ledger.add_channel(tally, Audience::Others, deadline)
        };
        let (edit, caret) = (channel("edit"), channel("caret"));
        let mut room = Self {
            group,
            caret,
            recorder,
            members: Vec::new(),
            now: Nanos::from_secs(1),
            moved: 0,
        };
        let mut sights = Sights::default();
        for member in 0..members {
            let session = Session::new("/".to_owned(), None, 1 << 20);
            let mut state = SocketState {
                talk: Some(Box::new(Talk::new(session))),
                ..SocketState::default()
            };
            for (channel, event, at) in [
                (edit, "code-change", "/code"),
                (caret, "cursor-change", "/cursor/tag"),
            ] {
                room.group.ledger.join(channel, member);
                let place = StampPlace {
                    at: Some(StampAt::Pointer(at.to_owned())),
                    event: Some(event.to_owned()),
                    ..StampPlace::default()
                };
                let tally = room.group.ledger.tally_of(channel);
                let followed = sights.of(place).map(|sight| {
                    let keeps = channel == edit;
                    Receiving::new((0, channel, tally), sight, (keeps, false))
                });
                state.followed.receives.extend(followed);
            }
            room.members.push((state, FrameParser::default()));
            for said in OPENING {
                room.reads(member, &frame(said));
            }
        }
        room
    }

    /// Moves the caret of the next member, and delivers the move to all others. Returns the number of deliveries so
    /// far.
    pub fn move_a_caret(&mut self) -> u64 {
        let members = u32::try_from(self.members.len()).unwrap_or(u32::MAX);
        let sender = self.moved % members;
        self.moved += 1;
        self.now += Nanos::from_millis(500);
        let (now, tallies) = (self.now, &mut self.recorder.tallies);
        let stamp = self.group.ledger.stamp(self.caret, sender, now, tallies);
        self.group.ledger.send(sender, now, now, true, tallies);
        let bytes = frame(&format!(
            r#"42["cursor-change",{{"socketId":"fFhJRqCzBrRoeSz6AAAB","cursor":{{"line":1,"ch":2,"tag":"{}"}},"username":"u17"}}]"#,
            stamp.encode()
        ));
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
