use std::path::{Path, PathBuf};
use std::process::Command;

use super::server::Server;

/// Hint for a missing dependency. The test fails, because a test that skips itself proves nothing.
const INSTALL: &str = "run ./e2e/install.sh (or ./test.sh, which does)";

/// A command for Node, which finds the packages of the `e2e` folder.
fn node() -> Command {
    need("node_modules/ws");
    Command::new("node")
}

/// A command for Python in the environment of the `e2e` folder.
pub(crate) fn python() -> Command {
    Command::new(need(".venv/bin/python"))
}

/// A command for the TypeScript compiler, which checks the project in `folder`.
pub(crate) fn npx_tsc(folder: &Path) -> Command {
    let tsc = need("node_modules/typescript/bin/tsc");
    let mut command = Command::new("node");
    command.arg(tsc).args(["--noEmit", "-p"]).arg(folder);
    command
}

/// Starts two servers of the same chat room. Their libraries share nothing with headcount or with each other.
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

/// Starts a transcription service on Python's `websockets`, whose replies take 50 ms.
pub(crate) fn speech_server() -> Server {
    let mut python = python();
    python.arg(Server::folder().join("websockets-speech/server.py"));
    Server::start(python)
}

/// Starts the chat server of the tutorial, whose text is `code`. It finds its library in the `e2e` folder.
pub(crate) fn tutorial_server(code: &str) -> Server {
    let mut node = node();
    node.current_dir(Server::folder()).args([
        "--input-type=module",
        "--eval",
        code,
        "server.mjs",
        "0",
    ]);
    Server::start(node)
}

/// Starts a chat room that sends several documents in one frame.
pub(crate) fn documents_room() -> Server {
    let mut node = node();
    node.arg(Server::folder().join("documents-room/server.mjs"));
    Server::start(node)
}

/// Runs three official `SignalR` clients in that room. Returns the messages that they received from each other.
pub(crate) fn official_signalr_client(room: &Server) -> serde_json::Value {
    need("node_modules/@microsoft/signalr");
    let mut node = node();
    node.arg(Server::folder().join("documents-room/client.mjs"))
        .arg(room.port().to_string());
    let output = node.output().unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|why| panic!("{why}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Commands for the official NATS clients for Python and Node. Each prints the messages on the subject that is appended.
pub(crate) fn nats_receivers() -> [Command; 2] {
    need("node_modules/@nats-io/transport-node");
    let folder = Server::folder().join("nats-receivers");
    let (mut python, mut node) = (python(), node());
    python.arg(folder.join("receiver.py"));
    node.arg(folder.join("receiver.mjs"));
    [python, node]
}

/// Versions of the official Socket.IO server, by package name.
pub(crate) const SOCKET_IO: [&str; 3] = ["socket.io-4.4", "socket.io-4.7", "socket.io-4.8"];

/// Starts a server of the `e2e` folder with one version of the official Socket.IO server.
pub(crate) fn socketio_server(folder: &str, package: &str) -> Server {
    socketio_server_with(folder, package, &[])
}

/// Starts the same with these environment variables.
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

/// Starts the Socket.IO room on `python-socketio`.
pub(crate) fn python_socketio() -> Server {
    let mut python = python();
    python.arg(Server::folder().join("python-socketio-room/server.py"));
    Server::start(python)
}

/// Starts Node's own HTTP/2 server with these environment variables.
pub(crate) fn http2_server(settings: &[(&str, &str)]) -> Server {
    let mut node = Command::new("node");
    node.arg(Server::folder().join("http2/server.mjs"))
        .envs(settings.iter().copied());
    Server::start(node)
}

/// Starts the room that sends server-sent events on Node's own HTTP server, with these environment variables.
pub(crate) fn sse_room(faults: &[(&str, &str)]) -> Server {
    let mut node = Command::new("node");
    node.arg(Server::folder().join("sse-room/server.mjs"))
        .envs(faults.iter().copied());
    Server::start(node)
}

/// Starts the room whose members read their messages over HTTP, on Node's own HTTP server, with these environment
/// variables.
pub(crate) fn inbox_room(faults: &[(&str, &str)]) -> Server {
    let mut node = Command::new("node");
    node.arg(Server::folder().join("inbox-room/server.mjs"))
        .envs(faults.iter().copied());
    Server::start(node)
}

/// Starts the official gRPC server for Node, without TLS.
pub(crate) fn grpc_server() -> Server {
    need("node_modules/@grpc/grpc-js");
    let mut node = node();
    node.arg(Server::folder().join("grpc/server.mjs"));
    Server::start(node)
}

fn need(path: &str) -> PathBuf {
    let path = Server::folder().join(path);
    assert!(path.exists(), "{} is missing: {INSTALL}", path.display());
    path
}
