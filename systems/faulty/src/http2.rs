use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, RecvStream};
use http::{HeaderMap, HeaderValue, Request, Response};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::cell::{Cell, Ticket};
use crate::flood;
use crate::log::Of;
use crate::order::Kind;

const BODY: &[u8] = b"{\"ok\":true}";

/// Number of bytes of a body that the fault `drip` sends one by one. The rest follows in one piece.
const DRIPS: usize = 10;

/// Serves HTTP/2 without TLS. Returns whether the fault closed the connection.
pub(crate) async fn serve(cell: &Arc<Cell>, connection: usize, mut stream: TcpStream) -> bool {
    if cell.connection_has(Kind::WrongProtocol, connection) {
        // The connection ends, whether or not the client reads the bytes.
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        return true;
    }
    if cell.connection_has(Kind::Frozen, connection) && cell.order.at_ms == 0 && cell.order.ms == 0
    {
        return std::future::pending().await;
    }
    if let Some(kind) = flood::of(cell, connection) {
        flood::over_http2(&mut stream, kind).await;
        return false;
    }
    let Ok(mut streams) = h2::server::handshake(stream).await else {
        return false;
    };
    let (close, mut closed) = mpsc::channel(1);
    loop {
        let accepted = tokio::select! {
            accepted = streams.accept() => accepted,
            _ = closed.recv() => return true,
        };
        let Some(Ok((request, response))) = accepted else {
            return false;
        };
        let exchange = Exchange {
            cell: Arc::clone(cell),
            connection,
            ticket: cell.request(Of::Http, connection),
            response,
        };
        let close = close.clone();
        tokio::spawn(async move {
            if exchange.run(request).await == Some(After::Close) {
                let _ = close.send(()).await; // the connection may be gone already
            }
        });
        // Accepting a request must not delay the frames of earlier requests.
        tokio::task::yield_now().await;
    }
}

/// What happens to the connection after a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    GoOn,
    Close,
}

/// One request and its response, on a stream of its connection.
struct Exchange {
    cell: Arc<Cell>,
    connection: usize,
    ticket: Ticket,
    response: SendResponse<Bytes>,
}

impl Exchange {
    /// Responds according to the fault. `None` if no complete response was sent.
    async fn run(mut self, request: Request<RecvStream>) -> Option<After> {
        let (cell, index) = (Arc::clone(&self.cell), self.ticket.index);
        let due = async {
            if self.ticket.act == Kind::Drop {
                std::future::pending::<()>().await;
            }
            cell.until(self.ticket.due, self.connection).await;
        };
        let gone = std::future::poll_fn(|context| self.response.poll_reset(context));
        tokio::select! {
            () = due => {}
            _ = gone => {
                cell.given_up(index);
                return None;
            }
            () = cell.ended() => return None,
        }
        drop(request);
        self.respond().await
    }

    async fn respond(&mut self) -> Option<After> {
        let act = self.ticket.act;
        match act {
            Kind::Close => return Some(After::Close),
            Kind::Reset => {
                self.response.send_reset(Reason::INTERNAL_ERROR);
                return None;
            }
            _ => {}
        }
        let mut head = Response::new(());
        if act == Kind::Error {
            *head.status_mut() = http::StatusCode::INTERNAL_SERVER_ERROR;
        }
        let json = HeaderValue::from_static("application/json");
        head.headers_mut().insert("content-type", json);
        let mut body = self.response.send_response(head, false).ok()?;
        if act == Kind::Drip {
            let pause = Duration::from_millis(self.cell.order.ms) / u32::try_from(DRIPS).ok()?;
            for byte in &BODY[..DRIPS] {
                body.send_data(Bytes::copy_from_slice(&[*byte]), false)
                    .ok()?;
                sleep(pause).await;
            }
            body.send_data(Bytes::from_static(&BODY[DRIPS..]), true)
                .ok()?;
        } else if act == Kind::Truncate {
            body.send_data(Bytes::from_static(&BODY[..4]), false).ok()?;
            body.send_reset(Reason::INTERNAL_ERROR);
            return None;
        } else if act == Kind::GrpcError {
            body.send_data(Bytes::from_static(BODY), false).ok()?;
            let mut trailers = HeaderMap::new();
            trailers.insert("grpc-status", HeaderValue::from_static("13"));
            body.send_trailers(trailers).ok()?;
        } else {
            body.send_data(Bytes::from_static(BODY), true).ok()?;
        }
        let ok = !matches!(act, Kind::Error | Kind::GrpcError);
        self.cell.answered(self.ticket.index, ok);
        Some(After::GoOn)
    }
}
