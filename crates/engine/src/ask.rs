use std::sync::Arc;

use model::{Fault, FaultKind, Nanos};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use url::Url;
use wire::http::{Connection, Request, Response};
use wire::{Endpoint, Phase, Read, Stream, TlsSettings};

use crate::clock::Clock;
use crate::net::{Trust, address_of};

/// Limits of a request: the time until the response is complete, and the size of the response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) time: Nanos,
    pub(crate) bytes: usize,
}

/// Limits for control's own requests.
const PATIENCE: Limits = Limits {
    time: Nanos::from_secs(10),
    bytes: 64 << 20,
};

/// The preflight check: connects to the target, with TLS if needed, and returns the open stream.
pub(crate) fn preflight(
    target: &Url,
    allow_any: bool,
    tls: &TlsSettings,
    clock: Clock,
) -> Result<Stream, Fault> {
    preflight_within(PATIENCE.time, target, allow_any, tls, clock)
}

/// Like [`preflight`], with a time limit.
pub(crate) fn preflight_within(
    time: Nanos,
    target: &Url,
    allow_any: bool,
    tls: &TlsSettings,
    clock: Clock,
) -> Result<Stream, Fault> {
    let limits = Limits { time, ..PATIENCE };
    connect(target, allow_any, tls, Deadline::of(limits, clock))
}

/// Sends one GET from the control thread, outside all measurements.
pub(crate) fn get(
    url: &Url,
    allow_any: bool,
    tls: &TlsSettings,
    clock: Clock,
) -> Result<Response, Fault> {
    get_within(PATIENCE, url, allow_any, tls, clock)
}

/// Sends one GET with the given limits.
pub(crate) fn get_within(
    limits: Limits,
    url: &Url,
    allow_any: bool,
    tls: &TlsSettings,
    clock: Clock,
) -> Result<Response, Fault> {
    let until = Deadline::of(limits, clock);
    let stream = connect(url, allow_any, tls, until)?;
    let mut connection = Connection::with_body_limit(stream, limits.bytes);
    let mut bytes = Vec::new();
    Request::new("GET", Arc::new(url.clone())).encode_into(None, &mut bytes)?;
    connection.send(&bytes, true)?;
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match connection.stream_mut().read(&mut buffer) {
            Read::Bytes(count) => {
                if let Some(response) = connection.on_bytes(&buffer[..count])? {
                    return Ok(response);
                }
            }
            Read::Empty => wait(connection.stream_mut(), until)?,
            Read::Closed => {
                let cut = || Fault::target(FaultKind::Closed, "closed without a response");
                return connection.on_close()?.ok_or_else(cut);
            }
            Read::Failed(fault) => return Err(fault),
        }
    }
}

/// The time at which the response must be complete.
#[derive(Clone, Copy)]
struct Deadline {
    at: Nanos,
    patience: Nanos,
    clock: Clock,
}

impl Deadline {
    fn of(limits: Limits, clock: Clock) -> Self {
        Self {
            at: clock.now() + limits.time,
            patience: limits.time,
            clock,
        }
    }
}

fn connect(
    url: &Url,
    allow_any: bool,
    tls: &TlsSettings,
    until: Deadline,
) -> Result<Stream, Fault> {
    let endpoint = Endpoint::try_from(url)?;
    // The user specified this address and stated that the target is theirs.
    let trust = if allow_any {
        Trust::Named
    } else {
        Trust::Private
    };
    let address = address_of(&endpoint, trust)?;
    let mut stream = Stream::connect(
        address,
        None,
        endpoint.tls.then_some((tls, endpoint.host.as_str())),
    )?;
    while stream.phase() != Phase::Open {
        wait(&mut stream, until)?;
        stream.advance()?;
    }
    Ok(stream)
}

fn wait(stream: &mut Stream, until: Deadline) -> Result<(), Fault> {
    stream.flush()?;
    let mut flags = PollFlags::IN;
    if stream.wants_write() {
        flags |= PollFlags::OUT;
    }
    let left = until.at - until.clock.now();
    let timeout = Timespec {
        tv_sec: i64::try_from(left.0 / 1_000_000_000).unwrap_or(0),
        tv_nsec: i64::try_from(left.0 % 1_000_000_000).unwrap_or(0),
    };
    let ready = poll(
        &mut [PollFd::from_borrowed_fd(stream.fd(), flags)],
        Some(&timeout),
    );
    if left == Nanos::ZERO || ready == Ok(0) {
        return Err(Fault::target(
            FaultKind::TimedOut,
            format!("no response within {}", until.patience),
        ));
    }
    Ok(())
}
