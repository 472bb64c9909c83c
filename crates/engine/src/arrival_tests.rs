use std::collections::VecDeque;

use delivery::{Audience, ChannelIndex};
use model::{GroupId, Nanos};
use record::Mismatch;
use script::host::{StampAt, StampPlace};
use wire::socketio::Event;
use wire::websocket::FrameParser;

use super::{Arrival, Outcome};
use crate::level::Span;
use crate::people::Group;
use crate::recorder::Recorder;
use crate::socket::{Receiving, Sights, SocketState};
use crate::socketio::came;

/// Number of frames in one read. Member 1 receives all of them.
const FRAMES: usize = 20;

/// A room member who receives the messages of member 0.
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
        recorder.hold = Span {
            start: Nanos::ZERO,
            end: Nanos::MAX,
        };
        let tally = recorder.tally("said");
        let mut group = Group::new(GroupId(5), 0, vec![], vec![], 7, Nanos::from_secs(1));
        let deadline = Nanos::from_secs(1);
        let channel = group.ledger.add_channel(tally, Audience::Others, deadline);
        let mut listener = Self {
            group,
            channel,
            state: SocketState::default(),
            recorder,
            wakes: VecDeque::new(),
            parser: FrameParser::default(),
            now: Nanos::from_secs(1),
        };
        listener.follows(channel, at, only);
        listener
    }

    fn follows(&mut self, channel: ChannelIndex, at: Option<StampAt>, only: &[(&str, &str)]) {
        let only = only.iter().map(|&(at, value)| (at.into(), value.into()));
        let place = StampPlace {
            at,
            only: only.collect(),
            ..StampPlace::default()
        };
        self.looks(channel, place);
    }

    /// Follows the channel with stamps at `/code` in this event, and stores the values at `/code`.
    fn follows_event(&mut self, channel: ChannelIndex, event: &str) {
        let place = StampPlace {
            at: Some(StampAt::Pointer("/code".into())),
            event: Some(event.into()),
            except: vec![("/document".into(), "true".into())],
            keep: true,
            ..StampPlace::default()
        };
        self.looks(channel, place);
    }

    fn looks(&mut self, channel: ChannelIndex, place: StampPlace) {
        (0..10).for_each(|member| self.group.ledger.join(channel, member));
        let tally = self.group.ledger.tally_of(channel);
        let keeps = place.keep;
        let sight = Sights::default().of(place).unwrap();
        let receiving = Receiving::new((0, channel, tally), sight, (keeps, false));
        self.state.followed.receives.push(receiving);
    }

    fn channel(&mut self, name: &str, audience: Audience) -> ChannelIndex {
        let tally = self.recorder.tally(name);
        let deadline = Nanos::from_secs(1);
        self.group.ledger.add_channel(tally, audience, deadline)
    }

    /// The counts of delivered, duplicated and misdelivered stamps per channel, in the order of
    /// creation.
    fn counts(&self) -> Vec<(u64, u64, u64)> {
        let of = |tally: &delivery::Tally| {
            (
                tally.delivered,
                tally.duplicated,
                tally.misdelivered_total(),
            )
        };
        self.recorder.tallies.iter().map(of).collect()
    }

    /// Sends a message from member 0, and returns its stamp.
    fn sent(&mut self) -> String {
        self.sent_by(0)
    }

    fn sent_by(&mut self, sender: u32) -> String {
        let (now, tallies) = (self.now, &mut self.recorder.tallies);
        let ledger = &mut self.group.ledger;
        let stamp = ledger.stamp(self.channel, sender, now, tallies);
        ledger.send(sender, now, now, true, tallies);
        stamp.encode()
    }

    /// The bytes of one read, with [`FRAMES`] messages.
    fn said(&mut self, message: fn(&str) -> Vec<u8>, opcode: u8) -> Vec<u8> {
        let mut read = Vec::new();
        for _ in 0..FRAMES {
            let payload = message(&self.sent());
            read.extend([0x80 | opcode, u8::try_from(payload.len()).unwrap()]);
            read.extend(payload);
        }
        read
    }

    fn arrival(&mut self) -> (Arrival<'_>, &mut FrameParser) {
        let arrival = Arrival {
            key: 0,
            now: self.now + Nanos::from_millis(1),
            member: 1,
            group: Some(&mut self.group),
            state: &mut self.state,
            recorder: &mut self.recorder,
            wakes: &mut self.wakes,
            talked: Outcome::default(),
        };
        (arrival, &mut self.parser)
    }

    fn hears(&mut self, read: &[u8]) {
        let (mut arrival, parser) = self.arrival();
        let parsed = parser.on_bytes(read, &mut |event| arrival.on(event));
        parsed.unwrap();
    }

    fn hears_event(&mut self, event: &str) {
        let event = Event::parse(event).unwrap();
        self.arrival().0.receipts(came(&event));
    }

    fn kept(&self) -> Vec<&str> {
        let kept = self.state.followed.receives.iter().map(Receiving::last);
        kept.map(Option::unwrap_or_default).collect()
    }

    fn delivered(&self) -> usize {
        usize::try_from(self.recorder.tallies[0].delivered).unwrap()
    }

    fn mismatch(&self) -> Option<&Mismatch> {
        self.recorder.channels.mismatches.get(&0)
    }
}

fn frame(text: &str) -> Vec<u8> {
    let length = u16::try_from(text.len()).unwrap();
    let head = match u8::try_from(length) {
        Ok(length @ 0..126) => vec![0x81, length],
        _ => [&[0x81, 126], length.to_be_bytes().as_slice()].concat(),
    };
    [head.as_slice(), text.as_bytes()].concat()
}

#[path = "arrival_tests/documents.rs"]
mod documents;
#[path = "arrival_tests/misplaced.rs"]
mod misplaced;
#[path = "arrival_tests/streamed.rs"]
mod streamed;

/// Allocations of a read with [`FRAMES`] messages, after warm-up.
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

fn text() -> StampAt {
    StampAt::Pointer("/text".into())
}

/// The counts after member 1 has read messages of the first channel.
fn heard(mut listener: Listener) -> Vec<(u64, u64, u64)> {
    let read = listener.said(json, 1);
    listener.hears(&read);
    listener.counts()
}

#[test]
fn a_message_is_received_once_however_many_channels_look_there() {
    for (mine, other) in [
        (Some(text()), Some(text())),
        (Some(text()), None),
        (None, Some(text())),
    ] {
        let mut listener = Listener::new(mine, &[]);
        let second = listener.channel("told", Audience::Others);
        listener.follows(second, other, &[]);
        assert_eq!(heard(listener), [(20, 0, 0), (0, 0, 0)]);
    }
}

#[test]
fn a_channel_followed_at_two_places_counts_a_message_once() {
    let mut listener = Listener::new(Some(text()), &[]);
    let channel = listener.channel;
    listener.follows(channel, None, &[]);
    assert_eq!(heard(listener), [(20, 0, 0)]);
}

#[test]
fn another_channel_does_not_receive_what_its_own_channel_looks_for_elsewhere() {
    let elsewhere = StampAt::Pointer("/type".into());
    let mut listener = Listener::new(Some(elsewhere), &[]);
    let second = listener.channel("told", Audience::Others);
    listener.follows(second, Some(text()), &[]);
    assert_eq!(heard(listener), [(0, 0, 0), (0, 0, 0)]);
}

/// Member 1 reads messages of a channel that it does not follow. It follows another channel at the
/// same place.
fn overheard(audience: Audience) -> (Vec<(u64, u64, u64)>, usize) {
    let mut listener = Listener::new(None, &[]);
    let said = listener.channel("private", audience);
    for member in 0..10 {
        listener.group.ledger.join(said, member);
    }
    listener.channel = said;
    let read = listener.said(json, 1);
    listener.hears(&read);
    (listener.counts(), listener.state.inbox.messages().count())
}

#[test]
fn what_is_read_on_a_channel_that_is_not_followed_here_is_no_receipt_and_stays_with_the_script() {
    let nothing = vec![(0, 0, 0), (0, 0, 0)];
    assert_eq!(overheard(Audience::Others), (nothing, FRAMES));
}

#[test]
fn what_is_not_meant_for_a_member_is_a_stray_of_its_own_channel_whatever_they_follow() {
    let strays = vec![(0, 0, 0), (0, 0, 20)];
    assert_eq!(overheard(Audience::Members(vec![0, 2])).0, strays);
}

#[test]
fn a_stamp_of_another_group_is_one_stray_however_many_channels_look_there() {
    let mut listener = Listener::new(Some(text()), &[]);
    let second = listener.channel("told", Audience::Others);
    listener.follows(second, None, &[]);
    let read = listener.said(json, 1);
    listener.group = Group::new(GroupId(6), 0, vec![], vec![], 7, Nanos::from_secs(1));
    listener.hears(&read);
    assert_eq!(listener.counts(), [(0, 0, 20), (0, 0, 0)]);
}

/// Member 1 follows two channels, each in its own event.
fn in_a_room() -> Listener {
    let mut listener = Listener::new(None, &[]);
    listener.state.followed.receives.clear();
    listener.follows_event(listener.channel, "code-change");
    let second = listener.channel("caret", Audience::Others);
    listener.follows_event(second, "cursor-change");
    listener
}

#[test]
fn an_event_is_a_receipt_of_the_channel_that_looks_for_it_and_of_no_other() {
    for (event, counts) in [
        ("code-change", [(1, 0, 0), (0, 0, 0)]),
        ("cursor-change", [(0, 0, 0), (0, 0, 0)]),
        ("code", [(0, 0, 0), (0, 0, 0)]),
    ] {
        let mut listener = in_a_room();
        let stamp = listener.sent();
        listener.hears_event(&format!(r#"["{event}",{{"code":"let x; // {stamp}"}}]"#));
        assert_eq!(listener.counts(), counts, "{event}");
    }
}

#[test]
fn what_came_last_in_its_event_is_kept_with_a_stamp_or_without() {
    let mut listener = in_a_room();
    assert_eq!(listener.kept(), ["", ""]);
    listener.hears_event(r#"["code-change",{"code":"a"}]"#);
    assert_eq!(listener.kept(), [r#""a""#, ""]);
    let stamp = listener.sent();
    listener.hears_event(&format!(r#"["code-change",{{"code":"{stamp}"}}]"#));
    listener.hears_event(r#"["code-change",{"text":"no code"}]"#);
    listener.hears_event(r#"["cursor-change",{"code":7}]"#);
    let quoted = format!("\"{stamp}\"");
    assert_eq!(listener.kept(), [quoted.as_str(), "7"]);
    assert_eq!(listener.counts(), [(1, 0, 0), (0, 0, 0)]);
}

#[test]
fn a_document_that_is_said_again_is_kept_and_no_receipt_but_an_edit_that_comes_back_is_a_stray() {
    let mut listener = in_a_room();
    let (others, own) = (listener.sent(), listener.sent_by(1));
    let event = |code: &str, mark: &str| format!(r#"["code-change",{{"code":"{code}"{mark}}}]"#);
    for (code, mark, counts) in [
        (&others, r#","document":true"#, (0, 0, 0)),
        (&own, r#","document":true"#, (0, 0, 0)),
        (&others, r#","document":false"#, (1, 0, 0)),
        (&others, r#","document":true"#, (1, 0, 0)),
        (&others, "", (1, 1, 0)),
        (&own, "", (1, 1, 1)),
    ] {
        listener.hears_event(&event(code, mark));
        assert_eq!(listener.counts(), [counts, (0, 0, 0)], "{code}{mark}");
        assert_eq!(listener.kept()[0], format!("\"{code}\""));
    }
}

#[test]
fn an_event_that_is_followed_and_kept_allocates_nothing() {
    let mut listener = in_a_room();
    let events: Vec<String> = (0..50)
        .map(|_| format!(r#"["code-change",{{"code":"{}"}}]"#, listener.sent()))
        .collect();
    listener.hears_event(&events[0]);
    let counted = allocation_counter::measure(|| {
        for event in &events[1..] {
            listener.hears_event(event);
        }
    });
    assert_eq!((listener.delivered(), counted.count_total), (50, 0));
}

#[test]
fn the_count_is_none_of_what_always_says_nothing() {
    let counted = allocation_counter::measure(|| drop(vec![0_u8; 100]));
    assert_eq!(counted.count_total, 1);
}
