use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::ws::{Message, Utf8Bytes};
use futures_util::SinkExt;
use kit::socket::Socket;
use tokio::time::{Instant, Sleep, sleep};
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::error::ProtocolError;

use super::dialogue::{AudioRate, Dialogue, Said};
use super::farewell::{Over, farewell};
use super::faulty::{Faulty, Sent};
use super::listening::Listening;
use super::outbox::{Item, Outbox};
use super::pipeline::{Done, Pipeline};
use super::recovery::Search;
use super::refusal::Refusal;
use super::reply::{self, Reply};
use crate::audio::Format;
use crate::service::Service;
use crate::sessions::{End, Received};

/// The open WebSocket of one session. It reads and writes at the same time: a client that does not read cannot keep its
/// own audio from being recognised, so its queue fills, and it is found to be too slow.
pub(super) struct Connection {
    socket: Socket,
    dialogue: Dialogue,
    outbox: Outbox,
    faulty: Option<Faulty>,
    /// Since when the client has read nothing.
    blocked_since: Option<Instant>,
    unflushed: bool,
    ping: Pin<Box<Sleep>>,
    /// Whether anything was received since the last ping.
    heard: bool,
}

/// What happened on a connection.
enum Event {
    Message(Option<Result<Message, axum::Error>>),
    Done(Done),
    Sent(Vec<Sent>),
    Received(Received),
    Ping,
    /// All replies were sent.
    Drained,
    /// Writing failed.
    Failed,
}

impl Connection {
    /// Serves one connection until it ends.
    pub(super) async fn run(mut socket: Socket, service: &Arc<Service>, format: Format) {
        let opened = service.open_session(Instant::now()).await;
        let opened = opened.map_err(|full| full.to_string());
        let opened = opened.and_then(|seat| {
            let stream = service.engine.stream();
            let recogniser = stream.map_err(|error| error.to_string())?;
            Ok((seat, recogniser))
        });
        let (seat, recogniser) = match opened {
            Ok(opened) => opened,
            Err(text) => {
                let error = reply::error(&Refusal::SessionLimit(text));
                // If the client is gone, the farewell ends at once.
                let _ = socket.send(Message::Text(error.into())).await;
                return farewell(socket, Over::Refused).await;
            }
        };
        let config = &service.config;
        let mut connection = Self {
            socket,
            outbox: Outbox::new(&config.slow),
            faulty: service.faults.clone().map(Faulty::new),
            blocked_since: None,
            unflushed: false,
            ping: Box::pin(sleep(Duration::from_secs_f64(config.times.ping))),
            heard: true,
            dialogue: Dialogue {
                listening: Listening::new(&config.voice, format, recogniser),
                pipeline: Pipeline::default(),
                rate: AudioRate::new(config.limits.max_audio_rate),
                search: Search::default(),
                ending: None,
                service: service.clone(),
                seat,
            },
        };
        let over = connection.serve().await;
        let Self {
            socket, dialogue, ..
        } = connection;
        // The session ends now. Its socket may take longer to close.
        dialogue.end(matches!(over, Over::Gone | Over::TooSlow | Over::Stopping));
        farewell(socket, over).await;
    }

    async fn serve(&mut self) -> Over {
        let id = self.dialogue.seat.id.clone();
        let start = Reply::SessionStart { session_id: &id };
        self.send(start.write());
        loop {
            let event = poll_fn(|cx| self.poll(cx)).await;
            if let ControlFlow::Break(over) = self.handle(event) {
                return over;
            }
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Event> {
        match self.poll_write(cx) {
            Poll::Ready(Err(_)) => return Poll::Ready(Event::Failed),
            Poll::Ready(Ok(())) if self.is_drained() => return Poll::Ready(Event::Drained),
            Poll::Ready(Ok(())) | Poll::Pending => {}
        }
        // After the end, the inbox would report it again and again.
        let ends = self.dialogue.ending.is_none();
        if let Poll::Ready(received) = self.dialogue.seat.inbox.poll(ends, cx) {
            return Poll::Ready(Event::Received(received));
        }
        if let Poll::Ready(done) = self.dialogue.pipeline.poll(cx) {
            return Poll::Ready(Event::Done(done));
        }
        let ending = self.dialogue.ending.is_some() && self.dialogue.pipeline.is_empty();
        if let Some(faulty) = &mut self.faulty
            && let Poll::Ready(sent) = faulty.poll(ending, cx)
        {
            return Poll::Ready(Event::Sent(sent));
        }
        if self.ping.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Event::Ping);
        }
        if self.dialogue.is_full() {
            return Poll::Pending;
        }
        // `recv` may be dropped at any time.
        let message = pin!(self.socket.recv()).poll(cx);
        message.map(Event::Message)
    }

    /// Writes as much as the client reads.
    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), axum::Error>> {
        let written = self.poll_write_all(cx);
        match &written {
            Poll::Ready(_) => self.blocked_since = None,
            Poll::Pending => {
                let now = Instant::now();
                self.blocked_since.get_or_insert(now);
                self.outbox.expire(self.blocked_since, now);
            }
        }
        written
    }

    fn poll_write_all(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), axum::Error>> {
        while !self.outbox.is_empty() {
            std::task::ready!(self.socket.poll_ready_unpin(cx))?;
            let Some(item) = self.outbox.pop() else {
                break;
            };
            let text = Utf8Bytes::from(item.text);
            self.socket.start_send_unpin(Message::Text(text))?;
            self.unflushed = true;
            if let (Some(kind), Some(faulty)) = (item.count, &self.faulty) {
                faulty.faults().tally().add(kind, 1);
            }
        }
        if self.unflushed {
            std::task::ready!(self.socket.poll_flush_unpin(cx))?;
            self.unflushed = false;
        }
        Poll::Ready(Ok(()))
    }

    fn is_drained(&self) -> bool {
        self.dialogue.ending.is_some()
            && self.dialogue.pipeline.is_empty()
            && self.dialogue.search.is_idle()
            && self.faulty.as_ref().is_none_or(Faulty::is_empty)
    }

    fn handle(&mut self, event: Event) -> ControlFlow<Over> {
        match event {
            Event::Failed => ControlFlow::Break(Over::Gone),
            Event::Drained => ControlFlow::Break(self.dialogue.ending.unwrap_or(Over::Gone)),
            Event::Message(message) => self.message(message),
            Event::Done(done) => {
                let said = self.dialogue.done(done);
                self.say(said)
            }
            Event::Sent(sent) => sent.into_iter().try_for_each(|sent| self.sent(sent)),
            Event::Received(received) => self.received(received),
            Event::Ping => self.ping(),
        }
    }

    fn message(&mut self, message: Option<Result<Message, axum::Error>>) -> ControlFlow<Over> {
        self.heard = true;
        match message {
            None | Some(Ok(Message::Close(_))) => ControlFlow::Break(Over::Gone),
            Some(Err(error)) => ControlFlow::Break(cause(error)),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => ControlFlow::Continue(()),
            // After `stop`, the client's messages are read, so that the connection can close, and ignored.
            Some(Ok(_)) if self.dialogue.ending.is_some() => ControlFlow::Continue(()),
            Some(Ok(Message::Text(text))) => {
                let said = self.dialogue.text(&text);
                said.map_or(ControlFlow::Continue(()), |said| self.say(said))
            }
            Some(Ok(Message::Binary(audio))) => {
                let said = self.dialogue.audio(&audio);
                said.map_or(ControlFlow::Continue(()), |said| self.say(said))
            }
        }
    }

    fn received(&mut self, received: Received) -> ControlFlow<Over> {
        match received {
            Received::Posted(text) => self.queue(Item::kept(text)),
            Received::Found(text) => {
                self.dialogue.search.found();
                self.queue(Item::kept(text))
            }
            Received::End(End::Closed) => {
                self.dialogue.ending = Some(Over::Finished);
                let closing = self.dialogue.refuse(&Refusal::SessionClosing);
                self.say(closing)
            }
            Received::End(End::Stopping) => {
                self.dialogue.finish(Over::Stopping);
                ControlFlow::Continue(())
            }
        }
    }

    fn sent(&mut self, sent: Sent) -> ControlFlow<Over> {
        match sent {
            Sent::Here(item) => self.queue(item),
            Sent::Stray(text) => {
                let other = self.dialogue.service.sessions.other(&self.dialogue.seat.id);
                if other.is_some_and(|other| other.inbox.post(text.clone()))
                    && let Some(faulty) = &self.faulty
                {
                    faulty.faults().tally().add(kit::fault::Kind::Strayed, 1);
                }
                self.queue(Item::kept(text))
            }
        }
    }

    /// Queues a message. Replies to chunks pass through injected faults, if there are any.
    fn say(&mut self, said: Said) -> ControlFlow<Over> {
        let item = match said {
            Said::Notice(item) => item,
            Said::Reply(item, ready) => match &mut self.faulty {
                None => item,
                Some(faulty) => {
                    faulty.push(item.text, ready);
                    return ControlFlow::Continue(());
                }
            },
        };
        self.queue(item)
    }

    fn queue(&mut self, item: Item) -> ControlFlow<Over> {
        let pushed = self.outbox.push(item);
        self.dialogue
            .service
            .counters
            .dropped
            .inc_by(self.outbox.take_dropped());
        if pushed.is_err() {
            self.dialogue.service.counters.slow.inc();
            self.outbox.clear();
            return ControlFlow::Break(Over::TooSlow);
        }
        ControlFlow::Continue(())
    }

    /// Queues a message that no fault affects and that fits into every queue.
    fn send(&mut self, text: String) {
        let _ = self.outbox.push(Item::kept(text));
    }

    fn ping(&mut self) -> ControlFlow<Over> {
        // While a full pipeline keeps the service from reading, silence proves nothing.
        if !self.heard && !self.dialogue.is_full() {
            self.dialogue.service.counters.silent.inc();
            return ControlFlow::Break(Over::Gone);
        }
        self.heard = false;
        let interval = Duration::from_secs_f64(self.dialogue.service.config.times.ping);
        self.ping.as_mut().reset(Instant::now() + interval);
        // A client that is blocked gets no ping: data is in flight to it already.
        if self.blocked_since.is_none()
            && self
                .socket
                .start_send_unpin(Message::Ping(axum::body::Bytes::new()))
                .is_err()
        {
            return ControlFlow::Break(Over::Gone);
        }
        self.unflushed = true;
        ControlFlow::Continue(())
    }
}

/// The reason why reading failed.
fn cause(error: axum::Error) -> Over {
    let error = error.into_inner();
    match error.downcast_ref() {
        Some(Error::Capacity(_)) => Over::TooLarge,
        Some(Error::Protocol(cause)) if *cause != ProtocolError::ResetWithoutClosingHandshake => {
            Over::Violated
        }
        Some(Error::Utf8(_)) => Over::Violated,
        _ => Over::Gone,
    }
}
