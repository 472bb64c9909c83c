use std::collections::VecDeque;

use delivery::{Audience, ChannelIndex};
use model::{GroupId, Nanos};
use script::host::StampAt;
use wire::websocket::FrameParser;

use super::Arrival;
use crate::filter::Filter;
use crate::level::Span;
use crate::people::Group;
use crate::place::Place;
use crate::recorder::Recorder;
use crate::socket::{Receiving, SocketState};

/// Frames of one read, all heard by member 1.
const FRAMES: usize = 20;

/// A member of a room who hears what member 0 says.
struct Listener {
    group: Group,
    channel: ChannelIndex,
    state: SocketState,
    recorder: Recorder,
    wakes: VecDeque<script::host::Wake>,
    parser: FrameParser,
    now: Nanos,
}

impl Listener {
    fn new(at: Option<StampAt>, only: &[(&str, &str)]) -> Self {
        let mut recorder = Recorder::default();
        let tally = recorder.tally("said");
        let mut group = Group::new(GroupId(5), 0, vec![], vec![], 7, Nanos::from_secs(1));
        let deadline = Nanos::from_secs(1);
        let channel = group.ledger.add_channel(tally, Audience::Others, deadline);
        (0..10).for_each(|member| group.ledger.join(channel, member));
        let only = only.iter().map(|&(at, value)| (at.into(), value.into()));
        let receiving = Receiving {
            channel,
            tally,
            at: Place::new(at).unwrap(),
            only: Filter::new(only.collect()).unwrap(),
        };
        let state = SocketState {
            receives: vec![receiving],
            ..SocketState::default()
        };
        Self {
            group,
            channel,
            state,
            recorder,
            wakes: VecDeque::new(),
            parser: FrameParser::default(),
            now: Nanos::from_secs(1),
        }
    }

    /// Bytes of one read.
    fn said(&mut self, message: fn(&str) -> Vec<u8>, opcode: u8) -> Vec<u8> {
        let mut read = Vec::new();
        for _ in 0..FRAMES {
            let (now, tallies) = (self.now, &mut self.recorder.tallies);
            let stamp = self.group.ledger.stamp(self.channel, 0, now, tallies);
            self.group.ledger.send(0, now, now, true, tallies);
            let payload = message(&stamp.encode());
            read.extend([0x80 | opcode, u8::try_from(payload.len()).unwrap()]);
            read.extend(payload);
        }
        read
    }

    fn hears(&mut self, read: &[u8]) {
        let mut arrival = Arrival {
            key: 0,
            now: self.now + Nanos::from_millis(1),
            member: 1,
            group: Some(&mut self.group),
            state: &mut self.state,
            recorder: &mut self.recorder,
            hold: Span {
                start: Nanos::ZERO,
                end: Nanos::MAX,
            },
            wakes: &mut self.wakes,
        };
        let parsed = self.parser.on_bytes(read, &mut |event| arrival.on(event));
        parsed.unwrap();
    }

    fn delivered(&self) -> usize {
        usize::try_from(self.recorder.tallies[0].delivered).unwrap()
    }
}

/// Allocations of a read with [`FRAMES`] messages, once everything is warm.
fn allocations(mut listener: Listener, message: fn(&str) -> Vec<u8>, opcode: u8) -> u64 {
    let warm = listener.said(message, opcode);
    listener.hears(&warm);
    let reads: Vec<_> = (0..50).map(|_| listener.said(message, opcode)).collect();
    let counted = allocation_counter::measure(|| {
        for read in &reads {
            listener.hears(read);
        }
    });
    assert_eq!(listener.delivered(), 51 * FRAMES);
    counted.count_total
}

fn json(stamp: &str) -> Vec<u8> {
    format!(r#"{{"type":"said","room":7,"from":{{"id":4}},"text":"hello {stamp}"}}"#).into()
}

#[test]
fn what_is_followed_anywhere_in_a_message_allocates_nothing() {
    assert_eq!(allocations(Listener::new(None, &[]), json, 1), 0);
}

#[test]
fn what_is_followed_at_a_json_pointer_allocates_nothing() {
    let at = StampAt::Pointer("/text".into());
    let listener = Listener::new(Some(at), &[("/type", "\"said\""), ("/from/id", "4")]);
    assert_eq!(allocations(listener, json, 1), 0);
}

#[test]
fn what_is_followed_at_a_byte_allocates_nothing() {
    let binary = |stamp: &str| [&[0, 255, 7], stamp.as_bytes(), &[1; 9]].concat();
    let listener = Listener::new(Some(StampAt::Byte(3)), &[]);
    assert_eq!(allocations(listener, binary, 2), 0);
}

#[test]
fn the_count_is_none_of_what_always_says_nothing() {
    let counted = allocation_counter::measure(|| drop(vec![0_u8; 100]));
    assert_eq!(counted.count_total, 1);
}
