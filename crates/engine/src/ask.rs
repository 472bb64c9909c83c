use std::sync::Arc;

use model::{Fault, FaultKind, Nanos};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use url::Url;
use wire::http::{Connection, Request, Response};
use wire::{Endpoint, Phase, Read, Stream, TlsSettings};

use crate::clock::Clock;
use crate::dials::address_of;

/// How long the control thread's own few questions may take.
const PATIENCE: Nanos = Nanos::from_secs(10);

/// Connects to the target and hangs up: is anybody there, and does it speak TLS if it should?
pub(crate) fn knock(
    target: &Url,
    allow_any: bool,
    tls: &TlsSettings,
    clock: Clock,
) -> Result<(), Fault> {
    connect(target, allow_any, tls, clock).map(drop)
}

/// One GET from the control thread, outside all measurements.
pub(crate) fn get(
    url: &Url,
    allow_any: bool,
    tls: &TlsSettings,
    clock: Clock,
) -> Result<Response, Fault> {
    let until = clock.now() + PATIENCE;
    let mut connection = Connection::new(connect(url, allow_any, tls, clock)?);
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
            Read::Empty => wait(connection.stream_mut(), until, clock)?,
            Read::Closed => {
                let cut = || Fault::target(FaultKind::Reset, "closed without an answer");
                return connection.on_close()?.ok_or_else(cut);
            }
            Read::Failed(fault) => return Err(fault),
        }
    }
}

fn connect(url: &Url, allow_any: bool, tls: &TlsSettings, clock: Clock) -> Result<Stream, Fault> {
    let until = clock.now() + PATIENCE;
    let endpoint = Endpoint::try_from(url)?;
    let address = address_of(&endpoint, allow_any)?;
    let mut stream = Stream::connect(
        address,
        None,
        endpoint.tls.then_some((tls, endpoint.host.as_str())),
    )?;
    while stream.phase() != Phase::Open {
        wait(&mut stream, until, clock)?;
        stream.advance()?;
    }
    Ok(stream)
}

fn wait(stream: &mut Stream, until: Nanos, clock: Clock) -> Result<(), Fault> {
    stream.flush()?;
    let mut flags = PollFlags::IN;
    if stream.wants_write() {
        flags |= PollFlags::OUT;
    }
    let left = until - clock.now();
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
            format!("no answer within {PATIENCE}"),
        ));
    }
    Ok(())
}
