use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::cell::{Cell, Ticket};
use crate::flood;
use crate::log::Of;
use crate::order::Kind;
use crate::request::read_request;
use crate::reset::reset;
use crate::websocket;

const BODY: &str = "{\"ok\":true}";

/// Number of bytes of a body that the fault `drip` sends one by one. The rest follows in one piece.
const DRIPS: usize = 10;

/// How a response ended.
enum Ended {
    /// The connection continues.
    Open,
    /// The client has disconnected.
    Gone,
    /// The fault closes the connection.
    Here,
}

/// Serves HTTP/1.1 on a connection, and also the protocol after an upgrade. Returns whether the fault closed the
/// connection.
pub(crate) async fn serve(cell: &Arc<Cell>, connection: usize, mut stream: TcpStream) -> bool {
    let mut input = Vec::new();
    while let Some(request) = read_request(&mut stream, &mut input).await {
        if let Some(key) = request.websocket_key {
            let opening = cell.request(Of::Opening, connection);
            let client = websocket::Client {
                path: request.path,
                key,
                input,
                opening,
            };
            return websocket::serve(cell, connection, stream, client).await;
        }
        let ticket = cell.request(Of::Http, connection);
        if !wait(cell, connection, &ticket, &mut stream, &mut input).await {
            cell.given_up(ticket.index);
            return false;
        }
        if let Some(kind) = flood::of(cell, connection) {
            flood::instead_of_response(&mut stream, kind).await;
            return false;
        }
        match respond(cell, connection, &ticket, &mut stream).await {
            Ended::Open => {}
            Ended::Gone => {
                cell.given_up(ticket.index);
                return false;
            }
            Ended::Here => return true,
        }
    }
    false
}

/// Waits until the response is due. Returns `false` if the client disconnects first.
async fn wait(
    cell: &Cell,
    connection: usize,
    ticket: &Ticket,
    stream: &mut TcpStream,
    input: &mut Vec<u8>,
) -> bool {
    let due = async {
        if ticket.act == Kind::Drop {
            std::future::pending::<()>().await;
        }
        cell.until(ticket.due, connection).await;
    };
    tokio::pin!(due);
    loop {
        tokio::select! {
            () = &mut due => return true,
            read = stream.read_buf(input) => if !matches!(read, Ok(1..)) {
                return false;
            },
        }
    }
}

async fn respond(cell: &Cell, connection: usize, ticket: &Ticket, stream: &mut TcpStream) -> Ended {
    if cell.connection_has(Kind::WrongProtocol, connection) {
        let _ = stream.write_all(b"220 mail.example.test ESMTP\r\n").await; // the connection ends here in any case
        return Ended::Here;
    }
    let status = match ticket.act {
        Kind::Close => return Ended::Here,
        Kind::Reset => {
            reset(stream);
            return Ended::Here;
        }
        Kind::Error => "500 Internal Server Error",
        _ => "200 OK",
    };
    let length = BODY.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    let sent = match ticket.act {
        Kind::Truncate => {
            let half = &BODY[..length / 2];
            let _ = stream.write_all(format!("{head}{half}").as_bytes()).await;
            return Ended::Here;
        }
        Kind::Drip => drip(stream, &head, Duration::from_millis(cell.order.ms)).await,
        _ => stream.write_all(format!("{head}{BODY}").as_bytes()).await,
    };
    if sent.is_err() {
        return Ended::Gone;
    }
    cell.answered(ticket.index, ticket.act != Kind::Error);
    if ticket.act == Kind::Duplicate {
        let again = stream.write_all(format!("{head}{BODY}").as_bytes()).await;
        return if again.is_err() {
            Ended::Gone
        } else {
            Ended::Open
        };
    }
    Ended::Open
}

/// Writes a body byte by byte over the duration `whole`.
async fn drip(stream: &mut TcpStream, head: &str, whole: Duration) -> std::io::Result<()> {
    stream.write_all(head.as_bytes()).await?;
    let (slow, rest) = BODY.as_bytes().split_at(DRIPS);
    let pause = whole / u32::try_from(DRIPS).unwrap_or(1);
    for byte in slow {
        stream.write_all(&[*byte]).await?;
        sleep(pause).await;
    }
    stream.write_all(rest).await
}
