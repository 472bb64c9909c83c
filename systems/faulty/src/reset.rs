use std::time::Duration;

use tokio::net::TcpStream;

/// Makes the kernel reset the connection when the socket is closed.
pub(crate) fn reset(stream: &TcpStream) {
    // This cannot fail for an open socket. If it failed, the connection would be closed without a reset.
    let _ = rustix::net::sockopt::set_socket_linger(stream, Some(Duration::ZERO));
}
