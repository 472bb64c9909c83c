//! Test support: the program, servers, folders, and JSON at a pointer.

mod asked;
mod attempts;
mod foreign;
mod lab;
mod machine;
mod program;
mod prometheus;
mod raw;
mod redis;
mod server;

pub(crate) use asked::{ask, ask_http2, has_the_faults, text_at};
pub(crate) use foreign::{
    SOCKET_IO, documents_room, grpc_server, http2_server, inbox_room, nats_receivers, npx_tsc,
    official_signalr_client, python, python_socketio, room_servers, socketio_server,
    socketio_server_with, speech_server, sse_room, tutorial_server,
};
pub(crate) use lab::{Lab, scenarios};
pub(crate) use program::{Ended, Program, has_issue, is_invalid, issue};
pub(crate) use prometheus::Prometheus;
pub(crate) use raw::{Raw, read_request};
pub(crate) use redis::RedisServer;
pub(crate) use server::Server;
