use std::sync::Arc;

use axum::extract::ws::{Message, WebSocket};
use futures_util::SinkExt;
use kit::fault::{Faults, Kind, Lane, Step};
use tokio::time::{Instant, sleep_until};

use super::seat::Seat;
use crate::mailbox::{End, Mail, Mailbox, Next, Said};

/// Maximum number of messages written before the connection reads from the client again.
const BURST: usize = 256;

/// Sends the messages of a mailbox to the socket, with injected faults if configured.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) mailbox: Arc<Mailbox>,
    /// `None` if no faults are configured.
    tampering: Option<Tampering>,
}

/// Where the next item to send comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// The mailbox is not empty.
    Posted,
    /// A delivery that was held for a swap must be sent now.
    Held,
}

#[derive(Debug)]
struct Tampering {
    faults: Arc<Faults>,
    lane: Lane<u64, Arc<Said>>,
}

impl Delivery {
    pub(super) fn new(mailbox: Arc<Mailbox>, faults: Option<&Arc<Faults>>) -> Self {
        let tampering = faults.map(|faults| Tampering {
            faults: faults.clone(),
            lane: Lane::default(),
        });
        Self { mailbox, tampering }
    }

    /// Waits until something is ready to be sent. Cancel safe.
    pub(super) async fn ready(&self) -> Due {
        let Some(tampering) = &self.tampering else {
            self.mailbox.ready().await;
            return Due::Posted;
        };
        let faults = &tampering.faults;
        let posted = async {
            if let Some(posted) = self.mailbox.ready().await {
                faults.hold(posted).await;
            }
            Due::Posted
        };
        let Some(release) = tampering.lane.next_release() else {
            return posted.await;
        };
        let held = async {
            sleep_until(release).await;
            faults.stall_over().await;
            Due::Held
        };
        tokio::select! {
            due = posted => due,
            due = held => due,
        }
    }

    /// Sends the items that are ready. Returns a reason if the connection must end, and an error if the receiver has
    /// disconnected.
    pub(super) async fn send(
        &mut self,
        due: Due,
        socket: &mut WebSocket,
        seat: &Seat,
    ) -> Result<Option<End>, axum::Error> {
        match &mut self.tampering {
            None => send_all(&self.mailbox, socket).await,
            Some(tampering) => tampering.send_one(due, &self.mailbox, socket, seat).await,
        }
    }
}

async fn send_all(mailbox: &Mailbox, socket: &mut WebSocket) -> Result<Option<End>, axum::Error> {
    let mut end = None;
    for _ in 0..BURST {
        match mailbox.next() {
            Some(Next::Mail(Mail::Said(said) | Mail::Stray(said))) => {
                socket.feed(Message::Text(said.text.clone())).await?;
            }
            Some(Next::Mail(Mail::Own(text))) => socket.feed(Message::Text(text)).await?,
            Some(Next::End(reason)) => {
                end = Some(reason);
                break;
            }
            None => break,
        }
    }
    socket.flush().await?;
    Ok(end)
}

impl Tampering {
    /// Sends one item at a time, so that each fault is counted only after the write has succeeded.
    async fn send_one(
        &mut self,
        due: Due,
        mailbox: &Mailbox,
        socket: &mut WebSocket,
        seat: &Seat,
    ) -> Result<Option<End>, axum::Error> {
        let mut steps = Vec::new();
        let mut end = None;
        match due {
            Due::Held => self.lane.release(Instant::now(), &mut steps),
            Due::Posted => match mailbox.next() {
                None => {}
                Some(Next::Mail(Mail::Own(text))) => socket.send(Message::Text(text)).await?,
                Some(Next::Mail(Mail::Said(said))) => self.offer(said, &mut steps),
                Some(Next::Mail(Mail::Stray(said))) => {
                    steps.extend([Step::Send(said), Step::Count(Kind::Strayed)]);
                }
                Some(Next::End(reason)) => {
                    self.lane.release_all(&mut steps);
                    end = Some(reason);
                }
            },
        }
        self.perform(steps, socket, seat).await?;
        Ok(end)
    }

    fn offer(&mut self, said: Arc<Said>, steps: &mut Vec<Step<Arc<Said>>>) {
        let turn = self.faults.next_turn();
        self.lane
            .offer(said.sender, said, turn, Instant::now(), steps);
    }

    async fn perform(
        &self,
        steps: Vec<Step<Arc<Said>>>,
        socket: &mut WebSocket,
        seat: &Seat,
    ) -> Result<(), axum::Error> {
        for step in steps {
            match step {
                Step::Send(said) => socket.send(Message::Text(said.text.clone())).await?,
                Step::Stray(said) => {
                    socket.send(Message::Text(said.text.clone())).await?;
                    seat.bridge.house().stray(&said);
                }
                Step::Count(kind) => {
                    self.faults.tally().add(kind, 1);
                }
            }
        }
        Ok(())
    }
}
