//! Streams of server-sent events over HTTP/2, for members of passive audiences. Each member has a connection of its own, as
//! each user has.

use model::{Fault, Nanos};
use plan::Timeouts;
use wire::Stream;
use wire::sse::Signal;

use crate::http::FOR_EVER;
use crate::net::http::Call;
use crate::net::http2::Http2Link;
use crate::net::socket::{EventStream, Wire};
use crate::net::{EndpointIndex, Opening};

/// The HTTP/2 connection of one member.
pub(in crate::audience) type MemberHttp2 = Box<Http2Link<()>>;

/// Requests the events on a connection that is being opened.
pub(in crate::audience) fn open(
    (stream, endpoint): (Stream, EndpointIndex),
    events: &mut EventStream,
    now: Nanos,
    (mut timeouts, max_message): (Timeouts, usize),
) -> Result<MemberHttp2, Fault> {
    let until = now + timeouts.connect;
    // The member has the time limit for the opening, and a stream may last for ever.
    (timeouts.first_byte, timeouts.total) = (FOR_EVER, FOR_EVER);
    let opening = Opening { asked: now, until };
    let mut http2 = Http2Link::new(stream, max_message, false, opening)?;
    let call = Call::new((events.share(), endpoint), now, timeouts, ());
    let sent = http2.send(Box::new(call), None, true);
    sent.map_err(|(_, fault)| fault)?;
    Ok(Box::new(http2))
}

/// Passes received bytes to the stream of events.
pub(in crate::audience) fn feed(
    http2: &mut Http2Link<()>,
    bytes: &[u8],
    wire: &mut Wire,
    sink: &mut impl FnMut(Signal<'_>),
) -> Result<(), Fault> {
    http2.on_bytes(bytes)?;
    settle(http2, wire, sink)
}

/// Handles the parts of the response, then its end.
fn settle(
    http2: &mut Http2Link<()>,
    wire: &mut Wire,
    sink: &mut impl FnMut(Signal<'_>),
) -> Result<(), Fault> {
    while let Some((_, part)) = http2.next_part() {
        if let Wire::Events(events) = &mut *wire {
            events.on_part(&part, sink)?;
        }
    }
    while let Some((_, end)) = http2.next_ended() {
        end.outcome?;
        if let Wire::Events(events) = wire {
            events.end_response();
        }
    }
    Ok(())
}

/// Handles the end of the peer's data. Returns the fault of the request, if it has one.
pub(in crate::audience) fn on_close(
    http2: &mut Http2Link<()>,
    wire: &mut Wire,
) -> Result<(), Fault> {
    http2.on_close();
    settle(http2, wire, &mut |_| {})
}
