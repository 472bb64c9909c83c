//! What a delivery costs from the bytes that were read on, where it comes over Socket.IO: the frame, the packet, the event,
//! the stamp behind its JSON pointer, the ledger and the histograms.

use engine::counted::Room;
use operation::Operation;

#[path = "../../../bench/operation.rs"]
mod operation;

/// The others of an editor's room.
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
