use yrs::StateVector;
use yrs::sync::{AwarenessUpdate, Message, SyncMessage};
use yrs::updates::encoder::Encode;

use crate::line::Frame;

/// What the others did.
pub(crate) fn update(update: &[u8]) -> Frame {
    frame(&Message::Sync(SyncMessage::Update(update.to_vec())))
}

/// What one who comes must send.
pub(super) fn step_1(known: StateVector) -> Frame {
    frame(&Message::Sync(SyncMessage::SyncStep1(known)))
}

/// What one who asked lacks.
pub(super) fn step_2(update: Vec<u8>) -> Frame {
    frame(&Message::Sync(SyncMessage::SyncStep2(update)))
}

/// Who is where.
pub(crate) fn presence(update: AwarenessUpdate) -> Frame {
    frame(&Message::Awareness(update))
}

fn frame(message: &Message) -> Frame {
    Frame::binary(&message.encode_v1())
}
