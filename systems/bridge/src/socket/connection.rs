use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, close_code};
use kit::socket::Socket;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, timeout};

use super::deliver::Delivery;
use super::hear;
use super::questions::Questions;
use super::seat::Seat;
use crate::mailbox::{End, Mail, Mailbox};

/// Time limit for the client's response to a close frame. When it has passed, the connection is dropped.
const FAREWELL: Duration = Duration::from_secs(2);
/// Close code for a session that a newer connection resumed. The codes 4000–4999 are reserved for applications.
const REPLACED: u16 = 4001;

/// The open WebSocket of one user.
pub(super) struct Connection {
    socket: Socket,
    seat: Seat,
    delivery: Delivery,
    questions: Questions,
    pings: Interval,
    /// Whether anything was received since the last ping.
    heard: bool,
}

/// Reason why a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    /// The client closed the connection, or writing to it failed.
    Gone,
    /// The client violated the protocol, its message was too large, or the socket failed. Only the close handshake
    /// distinguishes these cases.
    Violated,
    /// The bridge ends the connection.
    Ended(End),
}

impl Connection {
    /// Serves one connection until it ends, then releases its seat.
    pub(super) async fn run(socket: Socket, seat: Seat, presence: bool) {
        let bridge = &seat.bridge;
        let mailbox = Arc::new(Mailbox::new(bridge.queue, bridge.faults.is_some()));
        let attached = bridge.house().attach(seat.ticket, &mailbox, presence);
        if let Err(refusal) = attached {
            mailbox.post(Mail::Own(refusal.event().into()));
            mailbox.finish(End::Ended);
        }
        let ping = bridge.times.ping;
        let mut pings = interval_at(Instant::now() + ping, ping);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut connection = Self {
            delivery: Delivery::new(mailbox, bridge.faults.as_ref()),
            questions: Questions::default(),
            socket,
            seat,
            pings,
            heard: true,
        };
        let over = loop {
            if let ControlFlow::Break(over) = connection.turn().await {
                break over;
            }
        };
        connection.close(over).await;
    }

    async fn turn(&mut self) -> ControlFlow<Over> {
        let Self {
            socket,
            seat,
            delivery,
            questions,
            pings,
            ..
        } = self;
        tokio::select! {
            due = delivery.ready() => {
                // A client that reads nothing blocks `send`. `cut` must still be able to end the connection.
                let mailbox = delivery.mailbox.clone();
                let sent = tokio::select! {
                    biased;
                    end = mailbox.cut() => Ok(Some(end)),
                    sent = delivery.send(due, socket, seat) => sent,
                };
                match sent {
                    Ok(None) => ControlFlow::Continue(()),
                    Ok(Some(end)) => ControlFlow::Break(Over::Ended(end)),
                    Err(_) => ControlFlow::Break(Over::Gone),
                }
            }
            message = socket.recv() => self.hear(message),
            (question, answer) = questions.next(&seat.bridge, seat.ticket.session) => {
                if let Err(refusal) = hear::answer(seat, &question, answer) {
                    let complaint = hear::complaint(seat, &refusal);
                    delivery.mailbox.post(Mail::Own(complaint));
                }
                ControlFlow::Continue(())
            }
            _ = pings.tick() => self.ping().await,
        }
    }

    fn hear(&mut self, message: Option<Result<Message, axum::Error>>) -> ControlFlow<Over> {
        self.heard = true;
        let obeyed = match message {
            None | Some(Ok(Message::Close(_))) => return ControlFlow::Break(Over::Gone),
            Some(Err(_)) => return ControlFlow::Break(Over::Violated),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
            Some(Ok(Message::Binary(_))) => Err(crate::refusal::Refusal::TextExpected),
            Some(Ok(Message::Text(text))) => hear::obey(&self.seat, &mut self.questions, &text),
        };
        if let Err(refusal) = obeyed {
            let complaint = hear::complaint(&self.seat, &refusal);
            self.delivery.mailbox.post(Mail::Own(complaint));
        }
        ControlFlow::Continue(())
    }

    async fn ping(&mut self) -> ControlFlow<Over> {
        if !self.heard {
            self.seat.bridge.counters.silent.inc();
            return ControlFlow::Break(Over::Gone);
        }
        self.heard = false;
        let ping = self.socket.send(Message::Ping(Vec::new().into()));
        tokio::select! {
            biased;
            sent = ping => match sent {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(Over::Gone),
            },
            end = self.delivery.mailbox.cut() => ControlFlow::Break(Over::Ended(end)),
        }
    }

    /// Performs the close handshake. Closing while client data is unread would reset the TCP connection and discard
    /// data in flight to the client.
    async fn close(self, over: Over) {
        let Self {
            mut socket, seat, ..
        } = self;
        let farewell = async {
            if let Some((code, reason)) = farewell(over) {
                let frame = CloseFrame {
                    code,
                    reason: Utf8Bytes::from_static(reason),
                };
                let _ = socket.send(Message::Close(Some(frame))).await;
            }
            while let Some(Ok(_)) = socket.recv().await {}
        };
        // If the session ends or the bridge stops, keep the seat until the handshake is over, so that a stop waits for
        // the handshake. Otherwise release the seat at once.
        let kept = matches!(over, Over::Ended(End::Ended | End::Stopping)).then_some(seat);
        let _ = timeout(FAREWELL, farewell).await;
        drop(kept);
    }
}

fn farewell(over: Over) -> Option<(u16, &'static str)> {
    match over {
        Over::Gone => None,
        Over::Violated => Some((close_code::PROTOCOL, "too large or not understood")),
        Over::Ended(End::Ended) => Some((close_code::NORMAL, "the session has ended")),
        Over::Ended(End::Stopping) => Some((close_code::AWAY, "the bridge is stopping")),
        Over::Ended(End::TooSlow) => Some((close_code::POLICY, "client too slow")),
        Over::Ended(End::Replaced) => Some((REPLACED, "a newer connection resumed the session")),
    }
}
