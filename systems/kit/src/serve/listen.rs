use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket};

/// Length of the listen queue, large enough for many clients that connect at once.
pub const BACKLOG: u32 = 4096;

/// Listens like [`bind`], and also returns the URL.
pub fn listen(address: SocketAddr) -> io::Result<(TcpListener, String)> {
    let listener = bind(address)?;
    let url = format!("http://{}", listener.local_addr()?);
    Ok((listener, url))
}

/// Listens on `address`; port 0 chooses a free one. Errors name the address.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let listen = || {
        let socket = if address.is_ipv4() {
            TcpSocket::new_v4()?
        } else {
            TcpSocket::new_v6()?
        };
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        socket.listen(BACKLOG)
    };
    listen().map_err(|error: io::Error| {
        io::Error::new(error.kind(), format!("cannot listen on {address}: {error}"))
    })
}
