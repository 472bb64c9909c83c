//! HTTP/2 against Node's server and against peers that send frames written by hand (RFC 9113 §4.1 and §6).

use std::net::SocketAddr;
use std::sync::Arc;

use model::Fault;
use url::Url;
use wire::http::{Request, Response};
use wire::http2::{Connection, Finished};
use wire::{Read, Stream};

use crate::drive::{open, wait};

mod frames;
mod node;
mod parts;

const BODY_LIMIT: usize = 4 * 1024 * 1024;

fn connected(address: SocketAddr) -> Connection {
    let mut connection =
        Connection::new(Stream::connect(address, None, None).unwrap(), BODY_LIMIT).unwrap();
    open(connection.stream_mut()).unwrap();
    connection
}

fn request(method: &str, target: &str) -> Request {
    let url = Url::parse(&format!("http://a.test:81{target}")).unwrap();
    Request::new(method.to_owned(), Arc::new(url))
}

/// One turn of the loop: reads once, or sleeps and sends queued bytes. `Ok(false)` when the peer has closed.
fn turn(connection: &mut Connection) -> Result<bool, Fault> {
    let mut buf = vec![0; 16 * 1024];
    match connection.stream_mut().read(&mut buf) {
        Read::Bytes(count) => connection.on_bytes(&buf[..count]).map(|()| true),
        Read::Empty => {
            wait(connection.stream());
            connection.stream_mut().flush().map(|()| true)
        }
        Read::Closed => {
            connection.on_close();
            Ok(false)
        }
        Read::Failed(fault) => {
            connection.fail(&fault);
            Err(fault)
        }
    }
}

/// The next request that ends; `None` when the connection ends with nothing in flight.
fn finished(connection: &mut Connection) -> Option<Finished> {
    loop {
        if let Some(finished) = connection.next_finished() {
            return Some(finished);
        }
        if !matches!(turn(connection), Ok(true)) {
            return connection.next_finished();
        }
    }
}

fn answer(connection: &mut Connection) -> Result<Response, Fault> {
    finished(connection).unwrap().outcome
}

/// Reads until `count` requests may be sent.
fn until_free(connection: &mut Connection, count: usize) {
    while connection.may_send() < count {
        assert!(turn(connection).unwrap(), "closed");
    }
}

fn text(response: &Response) -> &str {
    std::str::from_utf8(&response.body).unwrap()
}
