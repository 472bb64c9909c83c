use axum::extract::ws::Utf8Bytes;

use super::questions::{Question, Questions};
use super::seat::Seat;
use crate::agent::Agent;
use crate::bridge::moment;
use crate::refusal::Refusal;
use crate::wire::{self, Command};

/// Executes a client's command.
pub(super) fn obey(seat: &Seat, questions: &mut Questions, text: &str) -> Result<(), Refusal> {
    let command: Command<'_> = wire::read(text.as_bytes())?;
    let missing = |field: &str| Refusal::InvalidJson(format!("`{field}` is missing"));
    match &*command.kind {
        "say" => say(
            seat,
            questions,
            &command.text.ok_or_else(|| missing("text"))?,
        ),
        "move" => {
            let room = command.room.ok_or_else(|| missing("room"))?;
            seat.bridge.house().go_by_socket(seat.ticket, &room)
        }
        "end" => seat.bridge.house().end_by_ticket(seat.ticket),
        other => Err(Refusal::UnknownType(other.chars().take(32).collect())),
    }
}

fn say(seat: &Seat, questions: &mut Questions, text: &str) -> Result<(), Refusal> {
    let (bridge, ticket) = (&seat.bridge, seat.ticket);
    let mut house = bridge.house();
    let spoken = house.say(ticket, text, moment())?;
    if let Some(faults) = &bridge.faults {
        faults.message();
    }
    match bridge.agent {
        Agent::Persona => house.reply_by_socket(ticket, spoken.sequence, text, None),
        Agent::Remote(_) => questions.push(Question {
            sequence: spoken.sequence,
            text: text.to_owned(),
        }),
    }
}

/// Forwards a remote agent's reply. A failure is returned, so that the caller sends an error event.
pub(super) fn answer(
    seat: &Seat,
    question: &Question,
    answer: Result<Option<String>, Refusal>,
) -> Result<(), Refusal> {
    let answer = answer?;
    let mut house = seat.bridge.house();
    let (sequence, text) = (question.sequence, &question.text);
    house.reply_by_socket(seat.ticket, sequence, text, answer.as_deref())
}

/// Counts a refusal and builds the error event for the client.
pub(super) fn complaint(seat: &Seat, refusal: &Refusal) -> Utf8Bytes {
    seat.bridge.counters.refusals.inc();
    refusal.event().into()
}
