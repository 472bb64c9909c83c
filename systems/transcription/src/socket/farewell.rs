use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, close_code};
use kit::socket::Socket;
use tokio::time::{sleep, timeout};

/// Time limit for the client's response to a close frame.
const PATIENCE: Duration = Duration::from_secs(2);
/// The same for a client that was too slow. It has to read what the kernel holds for it before it sees the close frame.
const SLOW_PATIENCE: Duration = Duration::from_secs(30);
/// Close code of a server that restarts, as of the service of the field report.
const RESTART: u16 = 1012;

/// Reason why a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Over {
    /// The client closed the connection or is gone.
    Gone,
    /// The client sent `stop`, or its session was closed.
    Finished,
    /// There are too many sessions.
    Refused,
    /// The client does not read its replies.
    TooSlow,
    /// A message was too large.
    TooLarge,
    /// The client violated the protocol of its socket.
    Violated,
    /// The service is stopping.
    Stopping,
}

/// Performs the close handshake. To close while client data is unread would reset the TCP connection and discard data
/// in flight to the client.
pub(super) async fn farewell(mut socket: Socket, over: Over) {
    let (code, reason) = match over {
        Over::Gone => return drain(&mut socket).await,
        Over::Finished => (close_code::NORMAL, ""),
        Over::Refused => (close_code::POLICY, "Too many sessions"),
        Over::TooSlow => (close_code::POLICY, "Client too slow"),
        Over::TooLarge => (close_code::SIZE, "Message too large"),
        Over::Violated => (close_code::PROTOCOL, "Not a valid message"),
        Over::Stopping => (RESTART, "Service is stopping"),
    };
    let patience = if over == Over::TooSlow {
        SLOW_PATIENCE
    } else {
        PATIENCE
    };
    let frame = CloseFrame {
        code,
        reason: Utf8Bytes::from_static(reason),
    };
    let close = async {
        let sent = socket.send(Message::Close(Some(frame))).await;
        if sent.is_ok() && matches!(over, Over::TooLarge | Over::Violated) {
            // The rest of the message cannot be read. The client gets some time to read the close frame.
            sleep(PATIENCE).await;
        }
        while let Some(Ok(_)) = socket.recv().await {}
    };
    // After the time limit, the connection is dropped.
    let _ = timeout(patience, close).await;
}

/// Completes a close handshake that the client began.
async fn drain(socket: &mut Socket) {
    let rest = async { while let Some(Ok(_)) = socket.recv().await {} };
    let _ = timeout(PATIENCE, rest).await;
}
