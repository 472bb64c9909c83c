//! Members of passive audiences that receive server-sent events.

pub(super) mod http2;

use model::Fault;
use rand_pcg::Pcg64Mcg;
use script::host::{EventsCall, Payload};
use wire::http::Request;
use wire::sse::{Event, Signal};

use super::arrival::MemberArrival;
use super::described::{Describe, Described};
use super::transport::MemberTransport;
use crate::base::Base;
use crate::dial::Opener;
use crate::events::came;
use crate::net::socket::EventStream;
use crate::people::add_missing;

impl Describe for EventsCall {
    fn describe(
        self,
        base: &mut Base,
        _: Vec<Payload>,
        _: &mut Pcg64Mcg,
    ) -> Result<Described, Fault> {
        let located = base.net.connector.locate(&self.url)?;
        let limit = base.opening_limit(self.timeout);
        let mut headers = self.headers;
        add_missing(&mut headers, &base.config.options.headers);
        let request = Request {
            headers,
            ..Request::new("GET", located.url)
        };
        let max_event = base.config.options.max_message;
        // A member that loses its connection is counted and does not return.
        let continues = (String::new(), false);
        let stream = EventStream::new(request, limit, max_event, continues);
        let opener = Opener::Events(Box::new(stream));
        Ok(Described::new(located.endpoint, opener, limit))
    }
}

impl MemberTransport for Box<EventStream> {
    fn hear(
        &mut self,
        bytes: &[u8],
        arrival: &mut MemberArrival<'_>,
    ) -> (usize, Result<(), Fault>) {
        let mut messages = 0;
        let outcome = self.on_bytes(bytes, &mut |signal| {
            messages += 1;
            streamed(arrival, signal);
        });
        (messages, outcome)
    }
}

pub(super) fn streamed(arrival: &mut MemberArrival<'_>, signal: Signal<'_>) {
    match signal {
        Signal::Opened => arrival.opened(),
        Signal::Event(Event::Message(message)) => arrival.message(came(&message)),
        // The others have no effect on deliveries.
        Signal::Event(Event::Retry(_) | Event::Comment(_) | Event::Ignored { .. }) => {}
    }
}
