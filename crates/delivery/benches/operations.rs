//! Cost of a delivery: finding and decoding the stamp in the message, and recording it in the ledger.

use delivery::{
    Audience, ChannelIndex, Ledger, Pointer, Stamp, Tally, find_stamp, stamps_from, stamps_in,
};
use model::{GroupId, Nanos};
use operation::Operation;

#[path = "../../../bench/operation.rs"]
mod operation;

/// A message as a chat server forwards it, with the stamp inside the text.
fn message(stamp: &str) -> Vec<u8> {
    format!(
        r#"{{"type":"message","room":"lobby-17","from":{{"id":4711,"name":"Ada"}},"seq":42,"data":{{"id":"a9","text":"{stamp}"}},"at":1763712345678}}"#
    )
    .into_bytes()
}

/// A group whose members send in turn, one message per second of the ledger's clock. All others receive it.
struct Room {
    members: u32,
    ledger: Ledger,
    channel: ChannelIndex,
    tallies: Vec<Tally>,
    now: Nanos,
    spoken: u32,
}

impl Room {
    fn new(members: u32) -> Self {
        let mut ledger = Ledger::new(1, GroupId(5), Nanos::from_secs(5));
        let channel = ledger.add_channel(0, Audience::Others, Nanos::from_millis(500));
        for member in 0..members {
            ledger.join(channel, member);
        }
        Self {
            members,
            ledger,
            channel,
            tallies: vec![Tally::default()],
            now: Nanos::from_secs(1),
            spoken: 0,
        }
    }

    /// Sends a message from the next member. Returns the sender and the message as received.
    fn speak(&mut self) -> (u32, Vec<u8>) {
        let sender = self.spoken % self.members;
        self.spoken += 1;
        self.now += Nanos::from_secs(1);
        let (now, tallies) = (self.now, &mut self.tallies);
        let stamp = self.ledger.stamp(self.channel, sender, now, tallies);
        self.ledger.send(sender, now, now, true, tallies);
        (sender, message(&stamp.encode()))
    }

    /// Receives the message at a member, and searches the whole message for stamps.
    fn hear(&mut self, bytes: &[u8], receiver: u32) {
        let first = find_stamp(bytes);
        let read_at = self.now + Nanos(1_000_000 + u64::from(receiver) * 17_000);
        for stamp in stamps_from(bytes, first).flatten() {
            self.ledger
                .receive(&stamp, receiver, read_at, &mut self.tallies);
        }
    }

    fn message_to_all(&mut self) {
        let (sender, bytes) = self.speak();
        for receiver in (0..self.members).filter(|&member| member != sender) {
            self.hear(&bytes, receiver);
        }
    }
}

fn room(name: &'static str, members: u32) -> Operation {
    Operation::new(name, members - 1, move || {
        let mut room = Room::new(members);
        move || room.message_to_all()
    })
}

fn stamp() -> Stamp {
    Stamp {
        run: 0x5eed,
        group: GroupId(5),
        channel: 0,
        sender: 3,
        sequence: 1_234,
        made: Nanos::from_secs(77),
    }
}

fn main() {
    let operations = vec![
        room("a delivery, room of 10, with its share of the sending", 10),
        room("a delivery, room of 50, with its share of the sending", 50),
        Operation::new("find a stamp and read it", 1, || {
            let bytes = message(&stamp().encode());
            move || stamps_in(&bytes).flatten().next()
        }),
        Operation::new("see that there is no stamp", 1, || {
            let bytes = message("nothing to be followed, forty letters long");
            move || find_stamp(&bytes)
        }),
        Operation::new("find a value by its JSON pointer", 1, || {
            let bytes = message(&stamp().encode());
            let pointer = Pointer::parse("/data/text");
            move || {
                let found = pointer.as_ref().and_then(|pointer| pointer.find(&bytes));
                found.map(<[u8]>::len)
            }
        }),
    ];
    operation::run("delivery", operations);
}
