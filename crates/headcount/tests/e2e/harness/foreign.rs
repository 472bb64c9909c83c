use std::path::{Path, PathBuf};
use std::process::Command;

use super::server::Server;

/// What a missing dependency says: a test that skips itself proves nothing.
const INSTALL: &str = "run ./e2e/install.sh (or ./test.sh, which does)";

/// Node, with the packages of the e2e folder at hand.
fn node() -> Command {
    need("node_modules/ws");
    Command::new("node")
}

/// Python, in the environment of the e2e folder.
pub(crate) fn python() -> Command {
    Command::new(need(".venv/bin/python"))
}

/// The TypeScript compiler, to check what lies in `folder`.
pub(crate) fn npx_tsc(folder: &Path) -> Command {
    let tsc = need("node_modules/typescript/bin/tsc");
    let mut command = Command::new("node");
    command.arg(tsc).args(["--noEmit", "-p"]).arg(folder);
    command
}

/// The same chat room twice, on libraries that share nothing with headcount nor with each other.
pub(crate) fn room_servers() -> [(&'static str, Server); 2] {
    let mut ws = node();
    ws.arg(Server::folder().join("ws-room/server.mjs"));
    let mut websockets = python();
    websockets.arg(Server::folder().join("websockets-room/server.py"));
    [
        ("node", Server::start(ws)),
        ("python", Server::start(websockets)),
    ]
}

/// A chat room that holds several documents in one frame.
pub(crate) fn documents_room() -> Server {
    let mut node = node();
    node.arg(Server::folder().join("documents-room/server.mjs"));
    Server::start(node)
}

/// What three official `SignalR` clients heard of each other in that room.
pub(crate) fn official_signalr_client(room: &Server) -> serde_json::Value {
    need("node_modules/@microsoft/signalr");
    let mut node = node();
    node.arg(Server::folder().join("documents-room/client.mjs"))
        .arg(room.port().to_string());
    let output = node.output().unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|why| panic!("{why}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Versions of the official Socket.IO server, by the names of their packages.
pub(crate) const SOCKET_IO: [&str; 3] = ["socket.io-4.4", "socket.io-4.7", "socket.io-4.8"];

/// A server of the e2e folder on one version of the official Socket.IO server.
pub(crate) fn socketio_server(folder: &str, package: &str) -> Server {
    socketio_server_with(folder, package, &[])
}

/// The same with these settings in its environment.
pub(crate) fn socketio_server_with(
    folder: &str,
    package: &str,
    settings: &[(&str, &str)],
) -> Server {
    let mut node = node();
    node.arg(Server::folder().join(folder).join("server.mjs"))
        .env("SOCKET_IO", package)
        .envs(settings.iter().copied());
    Server::start(node)
}

/// The Socket.IO room on Python's server.
pub(crate) fn python_socketio() -> Server {
    let mut python = python();
    python.arg(Server::folder().join("python-socketio-room/server.py"));
    Server::start(python)
}

/// Node's own HTTP/2 server, with these settings in its environment.
pub(crate) fn http2_server(settings: &[(&str, &str)]) -> Server {
    let mut node = Command::new("node");
    node.arg(Server::folder().join("http2/server.mjs"))
        .envs(settings.iter().copied());
    Server::start(node)
}

/// The official gRPC server for Node, in the clear.
pub(crate) fn grpc_server() -> Server {
    need("node_modules/@grpc/grpc-js");
    let mut node = node();
    node.arg(Server::folder().join("grpc/server.mjs"));
    Server::start(node)
}

fn need(path: &str) -> PathBuf {
    let path = Server::folder().join(path);
    assert!(path.exists(), "{} is not there: {INSTALL}", path.display());
    path
}
