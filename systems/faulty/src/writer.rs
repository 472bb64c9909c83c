use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::cell::Cell;
use crate::flood::pour;
use crate::log::StrayLog;
use crate::outbox::{Note, Outgoing, What};
use crate::reset::reset;

/// Writes messages when they are due. Returns `true` when the fault closes the connection, and `false` when writing
/// fails.
pub(crate) async fn write(
    cell: &Arc<Cell>,
    connection: usize,
    mut to: OwnedWriteHalf,
    mut from: mpsc::UnboundedReceiver<Outgoing>,
) -> bool {
    let mut waiting: BinaryHeap<Reverse<(Instant, u64)>> = BinaryHeap::new();
    let mut parcels = std::collections::HashMap::new();
    let mut number = 0;
    loop {
        let next = waiting.peek().map(|Reverse((due, _))| *due);
        let due = async {
            match next {
                Some(due) => cell.until(due, connection).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            arrived = from.recv() => {
                let Some(parcel) = arrived else { return false };
                number += 1;
                waiting.push(Reverse((parcel.due, number)));
                parcels.insert(number, parcel);
            }
            () = due => {
                let parcel = waiting.pop().and_then(|Reverse((_, number))| parcels.remove(&number));
                match parcel.map(|parcel| (parcel.what, parcel.note)) {
                    Some((What::Bytes(bytes), note)) => {
                        if to.write_all(&bytes).await.is_err() {
                            return false;
                        }
                        written(cell, note);
                    }
                    Some((What::Flood(piece), _)) => {
                        let _ = pour(&mut to, &piece).await; // returns when the client has left
                        return false;
                    }
                    Some((What::Reset, _)) => {
                        let stream: &TcpStream = to.as_ref();
                        reset(stream);
                        return true;
                    }
                    Some((What::Close, _)) => return true,
                    None => {}
                }
            }
        }
    }
}

fn written(cell: &Cell, note: Note) {
    match note {
        Note::Nothing => {}
        Note::Answer(index, ok) => cell.answered(index, ok),
        Note::Copy(index) => {
            let now = cell.now_us();
            if let Some(log) = cell.state().log.deliveries.get_mut(index) {
                log.written_us.push(now);
            }
        }
        Note::Stray(index, receiver) => {
            let written_us = cell.now_us();
            if let Some(log) = cell.state().log.deliveries.get_mut(index) {
                log.strays.push(StrayLog {
                    receiver,
                    written_us,
                });
            }
        }
    }
}
