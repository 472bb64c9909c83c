use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use engineioxide::config::EngineIoConfig;
use engineioxide::handler::EngineIoHandler;
use engineioxide::service::EngineIoService;
use engineioxide::{DisconnectReason, Socket, Str};

use super::client::{Client, Desk};
use super::engine::Beat;
use crate::outlet::Outlet;

/// Bytes read at once from a client that upgraded.
const READ_BUFFER: usize = 4096;

/// The service for clients that begin with long polling.
pub(crate) fn service<D: Desk>(
    desk: &Arc<D>,
    beat: Beat,
    queue: usize,
) -> EngineIoService<Polling<D>> {
    let config = EngineIoConfig::builder()
        .req_path("/socket.io")
        .ping_interval(beat.every)
        .ping_timeout(beat.patience)
        .max_buffer_size(queue)
        .max_payload(beat.limit as u64)
        .ws_read_buffer_size(READ_BUFFER)
        .ws_max_message_size(beat.limit)
        .ws_max_frame_size(beat.limit)
        .build();
    EngineIoService::with_config(Arc::new(Polling { desk: desk.clone() }), config)
}

/// Hands what comes by long polling to the same desk.
pub(crate) struct Polling<D> {
    desk: Arc<D>,
}

impl<D> fmt::Debug for Polling<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Polling(..)")
    }
}

/// The client of one session; empty once the session is over.
pub(crate) struct Seat<D: Desk>(Mutex<Option<Client<D>>>);

impl<D: Desk> Default for Seat<D> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<D: Desk> Seat<D> {
    /// Whether the session goes on. The lock is free again before it is ended: that takes it too.
    fn hears(&self, hear: impl FnOnce(&mut Client<D>) -> bool) -> bool {
        let mut seat = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seat.as_mut().is_none_or(hear)
    }
}

impl<D: Desk> EngineIoHandler for Polling<D> {
    type Data = Seat<D>;

    fn on_connect(self: Arc<Self>, socket: Arc<Socket<Seat<D>>>) {
        let outlet = Outlet::engine(&socket);
        let client = Client::new(self.desk.clone(), outlet);
        *socket.data.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(client);
    }

    fn on_disconnect(&self, socket: Arc<Socket<Seat<D>>>, _: DisconnectReason) {
        let gone = socket
            .data
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        drop(gone);
    }

    fn on_message(self: &Arc<Self>, message: Str, socket: Arc<Socket<Seat<D>>>) {
        if !socket
            .data
            .hears(|client| matches!(client.packet(&message), Ok(true)))
        {
            socket.close(DisconnectReason::PacketParsingError);
        }
    }

    fn on_binary(self: &Arc<Self>, _: Bytes, socket: Arc<Socket<Seat<D>>>) {
        if !socket.data.hears(Client::binary) {
            socket.close(DisconnectReason::PacketParsingError);
        }
    }
}
