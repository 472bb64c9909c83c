use std::collections::VecDeque;
use std::convert::Infallible;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use kit::serve::Place;
use serde_json::json;

use super::seat::Seat;
use crate::mailbox::{Delivery, End};
use crate::refusal::Refusal;

/// An open stream of server-sent events.
struct Reading {
    seat: Seat,
    ready: VecDeque<Event>,
    batch: Vec<Delivery>,
    over: bool,
    _place: Option<Place>,
}

/// Opens an inbox as server-sent events. The id of an event is that of its message, which the receiver acknowledges in a
/// request of its own.
pub(crate) async fn stream(mut seat: Seat, place: Option<Place>) -> Result<Response, Refusal> {
    let queued = seat.catch_up().await?;
    let (namespace, identity) = (seat.tenant(), seat.identity());
    let ready =
        json!({ "type": "ready", "namespace": namespace, "identity": identity, "queued": queued });
    let greeting = Event::default().event("ready").data(ready.to_string());
    let reading = Reading {
        seat,
        ready: VecDeque::from([greeting]),
        batch: Vec::new(),
        over: false,
        _place: place,
    };
    let events = unfold(reading, async |mut reading| {
        let event = reading.next().await?;
        Some((Ok::<_, Infallible>(event), reading))
    });
    Ok(Sse::new(events)
        .keep_alive(KeepAlive::default())
        .into_response())
}

impl Reading {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.over {
                return None;
            }
            match self.seat.next(&mut self.batch).await {
                Ok(()) => {
                    let events = self.batch.drain(..).map(|delivery| event(&delivery));
                    self.ready.extend(events);
                }
                Err(end) => {
                    self.over = true;
                    if end == End::Stopping {
                        self.seat.rest(&mut self.batch);
                        let events = self.batch.drain(..).map(|delivery| event(&delivery));
                        self.ready.extend(events);
                    }
                    self.ready.push_back(farewell(end));
                    if end == End::TooSlow {
                        self.seat.registry.counters.too_slow.inc();
                    }
                }
            }
        }
    }
}

fn event(delivery: &Delivery) -> Event {
    let message = &delivery.message;
    Event::default()
        .id(message.id.as_str())
        .event("message")
        .data(message.frame().as_str())
}

fn farewell(end: End) -> Event {
    let reason = match end {
        End::TooSlow => "too_slow",
        End::Unregistered => "unregistered",
        End::Stopping => "stopping",
    };
    let data = json!({ "type": "end", "reason": reason });
    Event::default().event("end").data(data.to_string())
}
