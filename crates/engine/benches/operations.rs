//! Measures the cost of handling a received delivery over Socket.IO: parsing the frame, the packet and the event,
//! finding the stamp at its JSON pointer, and updating the ledger and the histograms.

use engine::counted::Room;
use operation::Operation;

#[path = "../../../bench/operation.rs"]
mod operation;

/// Number of members of an editor's room who receive each message.
const HEARERS: u32 = 4;

fn main() {
    let delivery = Operation::new(
        "a delivery over Socket.IO, room of 5, with its share of the stamping",
        HEARERS,
        || {
            let mut room = Room::new(HEARERS + 1);
            let mut heard = 0;
            move || {
                heard += u64::from(HEARERS);
                assert_eq!(room.move_a_caret(), heard);
            }
        },
    );
    operation::run("engine", vec![delivery]);
}
