use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use kit::serve::bind;
use tokio::net::{TcpListener, TcpStream};

use crate::cell::Cell;
use crate::log::Log;
use crate::order::{Kind, Order};
use crate::{http1, http2};

/// The first bytes of the HTTP/2 preface, which a client sends if it knows that the server speaks HTTP/2.
const PREFACE: &[u8] = b"PRI";

/// All open ports.
#[derive(Debug)]
pub(crate) struct Cells {
    address: IpAddr,
    open: Mutex<(u64, HashMap<u64, Arc<Cell>>)>,
}

impl Cells {
    pub(crate) fn new(address: IpAddr) -> Self {
        Self {
            address,
            open: Mutex::default(),
        }
    }

    /// Opens a port. Returns the number of the cell and the TCP port.
    pub(crate) fn open(&self, order: Order) -> io::Result<(u64, u16)> {
        let door = bind(SocketAddr::new(self.address, 0))?;
        let port = door.local_addr()?.port();
        let cell = Cell::open(order);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.0 += 1;
        let number = open.0;
        open.1.insert(number, Arc::clone(&cell));
        tokio::spawn(serve(Arc::clone(&cell), door));
        tokio::spawn(async move { cell.watch_lag().await });
        Ok((number, port))
    }

    /// Closes a port and returns its log; `None` if no port has this number.
    pub(crate) fn close(&self, number: u64) -> Option<Log> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let cell = open.1.remove(&number)?;
        Some(cell.end())
    }
}

async fn serve(cell: Arc<Cell>, door: TcpListener) {
    loop {
        let accepted = tokio::select! {
            accepted = door.accept() => accepted,
            () = cell.ended() => return,
        };
        let Ok((stream, _)) = accepted else {
            continue;
        };
        let cell = Arc::clone(&cell);
        tokio::spawn(async move {
            let connection = cell.accepted();
            tokio::select! {
                closed_here = converse(&cell, connection, stream) => cell.gone(connection, closed_here),
                () = cell.ended() => {}
            }
        });
    }
}

/// Serves a connection until it ends. Returns whether the fault closed it.
async fn converse(cell: &Arc<Cell>, connection: usize, stream: TcpStream) -> bool {
    if cell.connection_has(Kind::AcceptClose, connection) || stream.set_nodelay(true).is_err() {
        return true;
    }
    let mut first = [0; PREFACE.len()];
    if !matches!(stream.peek(&mut first).await, Ok(1..)) {
        return false;
    }
    if first == PREFACE {
        http2::serve(cell, connection, stream).await
    } else {
        http1::serve(cell, connection, stream).await
    }
}
