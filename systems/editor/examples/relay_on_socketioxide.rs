//! The editor's rooms as a plain relay on `socketioxide`, without document or log. The relay is the baseline for the
//! editor's own Socket.IO layer. The relay prints `listening on URL` and runs until killed.
//!
//!     cargo run --release -p editor --example relay_on_socketioxide --features relay-on-socketioxide
#![allow(
    missing_docs,
    clippy::expect_used,
    reason = "a program to measure against, read from top to bottom"
)]

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::serve::ListenerExt;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use socketioxide::SocketIo;
use socketioxide::extract::{Data, SocketRef};
use socketioxide::socket::Sid;
use tokio::net::TcpListener;

/// The editor's binary uses the same allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Names = Arc<Mutex<HashMap<Sid, String>>>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Join {
    room_id: String,
    username: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Change {
    room_id: String,
    code: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Move {
    room_id: String,
    cursor: Value,
    username: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Who {
    socket_id: Sid,
    username: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Joined {
    clients: Vec<Who>,
    username: String,
    socket_id: Sid,
}

#[derive(Serialize)]
struct Code {
    code: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Moved {
    socket_id: Sid,
    cursor: Value,
    username: String,
}

fn name(names: &Names, id: Sid) -> Option<String> {
    let names = names.lock().unwrap_or_else(PoisonError::into_inner);
    names.get(&id).cloned()
}

async fn join(socket: SocketRef, join: Join, names: Names) {
    names
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(socket.id, join.username.clone());
    socket.join(join.room_id.clone());
    let room = socket.within(join.room_id);
    let who = |other: SocketRef| Who {
        socket_id: other.id,
        username: name(&names, other.id),
    };
    let clients = room.clone().sockets().into_iter().map(who).collect();
    let joined = Joined {
        clients,
        username: join.username,
        socket_id: socket.id,
    };
    // An error means that a member has disconnected.
    let _ = room.emit("joined", &joined).await;
}

fn enter(socket: &SocketRef, names: &Names) {
    let joining = names.clone();
    socket.on(
        "join",
        async move |socket: SocketRef, Data(data): Data<Join>| {
            join(socket, data, joining.clone()).await;
        },
    );
    socket.on(
        "code-change",
        async |socket: SocketRef, Data(change): Data<Change>| {
            let code = Code { code: change.code };
            let _ = socket.to(change.room_id).emit("code-change", &code).await;
        },
    );
    socket.on(
        "cursor-change",
        async |socket: SocketRef, Data(data): Data<Move>| {
            let moved = Moved {
                socket_id: socket.id,
                cursor: data.cursor,
                username: data.username,
            };
            let _ = socket.to(data.room_id).emit("cursor-change", &moved).await;
        },
    );
    let leaving = names.clone();
    socket.on_disconnect(async move |socket: SocketRef| {
        let gone = Who {
            socket_id: socket.id,
            username: name(&leaving, socket.id),
        };
        for room in socket.rooms() {
            let _ = socket.to(room).emit("disconnected", &gone).await;
        }
        leaving
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&socket.id);
    });
}

/// Runs on one thread, like the editor by default.
#[tokio::main(flavor = "current_thread")]
async fn main() {
    let names = Names::default();
    let (layer, sockets) = SocketIo::new_layer();
    sockets.ns("/", async move |socket: SocketRef| enter(&socket, &names));
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    writeln!(io::stdout(), "listening on http://{address}").expect("it can be told");
    let listener = listener.tap_io(|stream| {
        // Without this option, small packets wait for the acknowledgements of earlier packets.
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, Router::new().layer(layer))
        .await
        .expect("it listens");
}
