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

fn need(path: &str) -> PathBuf {
    let path = Server::folder().join(path);
    assert!(path.exists(), "{} is not there: {INSTALL}", path.display());
    path
}
