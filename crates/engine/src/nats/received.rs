//! Handles what the connections to NATS servers receive, and the end of subscriptions.

use std::collections::VecDeque;

use delivery::Leaving;
use model::{Fault, FaultKind, Nanos};
use script::host::{self, NatsMessage, Payload, SocketId, Value, Wake};
use wire::nats::jetstream::reply_of;
use wire::nats::{Message, ServerError, Signal};

use super::awaited::Expected;
use super::{Nats, link_of, shared, trace};
use crate::arrival::Arrival;
use crate::link::Link;
use crate::net::socket::Wire;
use crate::net::socket::nats::{NatsLink, NatsWire, Pong, end_of_pull};
use crate::news::News;
use crate::protocol::Protocol;
use crate::recorder::Ending;
use crate::socket::{Came, Over, Own, Waiting, Wanted};

/// The name under which late replies are counted.
const LATE: &str = "late reply of the NATS server";

/// What remains to be done after received bytes are handled. Until then, the connection is not in its link.
#[derive(Debug, Default)]
struct Remaining {
    starts_tls: bool,
    /// Encoded frames to send.
    says: Vec<u8>,
    /// Subscriptions that are over, and users who have left a shared connection.
    ended: Vec<u32>,
    /// Subscriptions that the server refused, or ended with a fault.
    failed: Vec<(u32, Fault)>,
}

impl Protocol for Nats<'_> {
    fn received(&mut self, key: u32, bytes: &[u8], now: Nanos) -> usize {
        let taken = link_of(self.base, SocketId(key)).map(NatsLink::take);
        let Ok(Some(mut connection)) = taken else {
            self.base
                .inconsistent("a NATS connection that is not in the table received data");
            return 0;
        };
        let mut out = std::mem::take(&mut self.base.net.encoded);
        out.clear();
        let (mut messages, mut remaining) = (0, Remaining::default());
        let outcome = connection.on_bytes(bytes, &mut out, &mut |signal| {
            messages += 1;
            self.nats_signal(key, &signal, now, &mut remaining);
        });
        messages += usize::from(connection.holds_a_part());
        out.append(&mut remaining.says);
        let sent = connection.send(&out);
        self.base.net.encoded = out;
        if let Ok(link) = link_of(self.base, SocketId(key)) {
            link.put_back(connection);
        }
        // The first fault counts, because a failed send is often only its consequence.
        match outcome.and(sent) {
            Err(fault) => {
                self.end_failed(remaining.failed);
                self.base.socket_broke(key, &fault);
            }
            Ok(()) => self.finish_nats(key, remaining),
        }
        messages
    }

    fn leaves(&mut self, key: u32, by_script: bool, how: Leaving) {
        self.leave(key, by_script, how);
    }

    fn is_over(&mut self, over: &Over) {
        self.part_from(over);
    }
}

impl Nats<'_> {
    fn nats_signal(
        &mut self,
        key: u32,
        signal: &Signal<'_>,
        now: Nanos,
        remaining: &mut Remaining,
    ) {
        match signal {
            Signal::Message(message) => self.nats_message(key, message, now, remaining),
            Signal::Connected(_) => self.nats_connected(key, now),
            Signal::Pong => self.nats_pong(key, now, remaining),
            Signal::StartTls => remaining.starts_tls = true,
            Signal::Refused(error) => self.nats_refused(key, error, remaining),
            Signal::Changed(_) | Signal::Alive | Signal::Ok => {}
        }
    }

    fn nats_connected(&mut self, key: u32, now: Nanos) {
        let Some((_, mut arrival, _)) = self.base.arrival(key, now) else {
            return self
                .base
                .inconsistent("a NATS connection that is not in the table opened");
        };
        let opening = arrival.state.opening;
        arrival.opened(None);
        if let Some(opening) = opening {
            self.base
                .count_opening(key, opening, now, Ending::Answered { failed: false });
        }
        let link = link_of(self.base, SocketId(key)).ok();
        let waiting: Vec<u32> = link
            .into_iter()
            .flat_map(|link| link.carried.clone())
            .collect();
        for user in waiting {
            shared::opened(self.base, user);
        }
    }

    /// Passes a message to its subscription, or to the request whose reply it is. The subscription may have ended in the
    /// meantime.
    fn nats_message(
        &mut self,
        connection: u32,
        message: &Message<'_>,
        now: Nanos,
        remaining: &mut Remaining,
    ) {
        let Ok(key) = u32::try_from(message.sid) else {
            return;
        };
        let Some((user, mut arrival, wire)) = self.base.arrival(key, now) else {
            return;
        };
        match wire {
            // A server can send any number, also that of a socket on the connection to another server.
            Wire::Nats(nats) if nats.carrier(key) != connection => return,
            Wire::Nats(NatsWire::Subscription(subscription)) => {
                if subscription.is_pulled(message) {
                    fetched(&mut arrival, message);
                } else {
                    let came = Came::message(message.payload);
                    arrival.offer(came, || for_script(message));
                }
                match subscription.after(&mut remaining.says, message) {
                    Ok(false) => {}
                    Ok(true) => remaining.ended.push(key),
                    Err(fault) => remaining.failed.push((key, fault)),
                }
            }
            Wire::Nats(nats) => {
                let number = number_of(message);
                let waiting = awaiting(&mut arrival.state.waiting, number);
                let Some(waiting) = waiting else {
                    // The time limit has passed, or this is a second reply, which is no failure.
                    let inbox = nats.inbox_mut().zip(number);
                    if inbox.is_some_and(|(inbox, number)| inbox.take_expired(number)) {
                        self.base.level.count_late_reply(user, LATE, now);
                    }
                    return;
                };
                match refusal(&waiting, message) {
                    None => arrival.replied(&waiting, Value::Message(for_script(message))),
                    Some(fault) => self.base.fail_waiting(user, &waiting, fault, now),
                }
            }
            _ => {}
        }
        self.base.trace(user, || trace::received(message));
    }

    fn nats_pong(&mut self, key: u32, now: Nanos, remaining: &mut Remaining) {
        let Ok(link) = link_of(self.base, SocketId(key)) else {
            return self.without_connection();
        };
        match link.ponged() {
            Some(Pong::Flushed(user)) => {
                if let Some((_, mut arrival, _)) = self.base.arrival(user, now) {
                    arrival.pong();
                }
            }
            Some(Pong::Subscribed(subscription)) => {
                self.nats_subscribed(subscription, now, remaining);
            }
            Some(Pong::Left(socket)) => remaining.ended.push(socket),
            // `finish_nats` closes the connection. A pong that nobody asked for means nothing.
            Some(Pong::Closed) | None => {}
        }
    }

    fn nats_subscribed(&mut self, key: u32, now: Nanos, remaining: &mut Remaining) {
        // The pong that follows a refusal confirms nothing.
        if remaining.failed.iter().any(|(failed, _)| *failed == key) {
            return;
        }
        // The subscription may have ended in the meantime.
        let Some((_, mut arrival, Wire::Nats(NatsWire::Subscription(subscription)))) =
            self.base.arrival(key, now)
        else {
            return;
        };
        arrival.opened(Some(&subscription.subject));
        if let Some(pulls) = &mut subscription.pulls
            && let Err(fault) = pulls.next(&mut remaining.says, &subscription.subject)
        {
            remaining.failed.push((key, fault));
        }
    }

    /// Does what remains after received bytes were handled.
    fn finish_nats(&mut self, key: u32, remaining: Remaining) {
        let Remaining {
            starts_tls,
            ended,
            failed,
            ..
        } = remaining;
        for socket in ended {
            self.end_carried(socket);
        }
        self.end_failed(failed);
        let Ok(link) = link_of(self.base, SocketId(key)) else {
            return self.without_connection();
        };
        if link.is_closed() {
            return self.base.socket_closed(key);
        }
        if starts_tls {
            match self.start_tls(key) {
                Ok(()) => self.base.tell(News::Added(key)),
                Err(fault) => self.base.socket_broke(key, &fault),
            }
        }
    }

    fn without_connection(&mut self) {
        self.base
            .inconsistent("a NATS connection is not in the table while its data is handled");
    }

    fn end_failed(&mut self, failed: Vec<(u32, Fault)>) {
        for (subscription, fault) in failed {
            self.base.socket_broke(subscription, &fault);
        }
    }

    fn start_tls(&mut self, key: u32) -> Result<(), Fault> {
        let net = &mut self.base.net;
        if let Some(conn) = net.conns.get_mut(key)
            && let Link::Socket(socket) = &mut conn.link
            && let Wire::Nats(NatsWire::Connection(link)) = &mut socket.wire
        {
            let (settings, name) = net.connector.tls_of(conn.endpoint);
            return link.start_tls(settings, name);
        }
        Ok(())
    }

    /// Handles an error of the server that leaves the connection open. It ends the subscription that it names. Otherwise
    /// it is a failure of the connection.
    fn nats_refused(&mut self, key: u32, error: &ServerError<'_>, remaining: &mut Remaining) {
        let fault = error.fault();
        let Ok(link) = link_of(self.base, SocketId(key)) else {
            return self.without_connection();
        };
        let carried: Vec<u32> = link.carried.iter().copied().collect();
        let refused = error.subject_of_subscription();
        let is_failed = |key: u32| remaining.failed.iter().any(|(failed, _)| *failed == key);
        let is_refused = |key: &u32| match self.base.net.conns.get(*key).map(|conn| &conn.link) {
            Some(Link::Socket(socket)) => match &socket.wire {
                Wire::Nats(NatsWire::Subscription(subscription)) => {
                    let is_opening = socket.state.opening.is_some() && !is_failed(*key);
                    is_opening && refused == Some(&subscription.subject)
                }
                _ => false,
            },
            _ => false,
        };
        if let Some(refused) = carried.into_iter().find(is_refused) {
            return remaining.failed.push((refused, fault));
        }
        if let Ok((user, socket)) = self.base.socket(SocketId(key)) {
            let what = socket.state.failing();
            self.base.trace(user, || format!("← error {}", error.text));
            self.base.count_socket_failure(user, &what, None, &fault);
        }
    }
}

/// Adds a message to the fetch that waits for it, or ends the fetch.
fn fetched(arrival: &mut Arrival<'_>, message: &Message<'_>) {
    let Some(waiting) = arrival.state.waiting.front_mut() else {
        return;
    };
    let Wanted::Own(Own::Nats(Expected::Messages { missing, messages })) = &mut waiting.wanted
    else {
        return;
    };
    let end = if let Some(status) = message.headers.status() {
        end_of_pull(&status)
    } else {
        messages.push(for_script(message));
        *missing = missing.saturating_sub(1);
        (*missing == 0).then_some(Ok(()))
    };
    if let Some(end) = end {
        let messages = std::mem::take(messages);
        let waiting = arrival.state.waiting.pop_front();
        arrival.wakes.extend(waiting.map(|waiting| Wake::Done {
            op: waiting.op,
            result: end.map(|()| Value::Messages(messages)),
        }));
    }
}

/// The number of the request whose reply this message is.
fn number_of(message: &Message<'_>) -> Option<u64> {
    message.subject.rsplit('.').next()?.parse().ok()
}

/// Takes the request with this number.
fn awaiting(all: &mut VecDeque<Waiting>, number: Option<u64>) -> Option<Waiting> {
    let number = number?;
    let is_its = |waiting: &Waiting| match waiting.wanted {
        Wanted::Own(Own::Nats(Expected::Reply { number: its, .. })) => its == number,
        _ => false,
    };
    let at = all.iter().position(is_its)?;
    all.remove(at)
}

/// The fault that this reply reports instead of a result.
fn refusal(waiting: &Waiting, message: &Message<'_>) -> Option<Fault> {
    if let Some(status) = message.headers.status() {
        let detail = match status.code {
            503 => "nobody has subscribed to the subject of the request (no responders)".to_owned(),
            code => format!("NATS status {code} {}", status.description)
                .trim_end()
                .to_owned(),
        };
        return Some(Fault::target(FaultKind::Refused, detail));
    }
    let is_jetstream = matches!(
        waiting.wanted,
        Wanted::Own(Own::Nats(Expected::Reply {
            is_jetstream: true,
            ..
        }))
    );
    is_jetstream.then(|| reply_of(message.payload).err())?
}

/// The message for the script.
fn for_script(message: &Message<'_>) -> host::Message {
    let payload = match str::from_utf8(message.payload) {
        Ok(text) => Payload::Text(text.to_owned()),
        Err(_) => Payload::Binary(message.payload.to_vec()),
    };
    let header = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    host::Message::Nats(Box::new(NatsMessage {
        subject: message.subject.to_owned(),
        reply: message.reply.map(str::to_owned),
        headers: message.headers.iter().map(header).collect(),
        status: message
            .headers
            .status()
            .map(|status| (status.code, status.description.to_owned())),
        payload,
    }))
}
