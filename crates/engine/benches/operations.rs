//! Measures the cost of handling a received delivery: parsing the frame (over Socket.IO, also the packet and the event),
//! finding the stamp, and updating the ledger and the histograms.

use engine::counted::Room;
use operation::Operation;

#[path = "../../../bench/operation.rs"]
mod operation;

/// Number of members of a room who receive each message.
const HEARERS: u32 = 4;
/// Number of messages in one read.
const AT_ONCE: u32 = 20;

fn main() {
    let socketio = Operation::new(
        "a delivery over Socket.IO, room of 5, with its share of the stamping",
        HEARERS,
        || {
            let mut room = Room::editor(HEARERS + 1);
            let mut heard = 0;
            move || {
                heard += u64::from(HEARERS);
                assert_eq!(room.move_a_caret(), heard);
            }
        },
    );
    let websocket = Operation::new(
        "a delivery over WebSocket, 20 in one read, room of 5, with its share of the stamping",
        HEARERS * AT_ONCE,
        || {
            let mut room = Room::chat(HEARERS + 1);
            let mut heard = 0;
            move || {
                heard += u64::from(HEARERS * AT_ONCE);
                assert_eq!(room.say_at_once(AT_ONCE), heard);
            }
        },
    );
    operation::run("engine", vec![socketio, websocket]);
}
