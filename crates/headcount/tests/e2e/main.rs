//! Tests of the real binary, with real sockets and third-party servers.
//!
//! All tests are in one binary, because linking is the slow part. Each test starts its servers on ports of its own,
//! ends them by process id, and has a time limit. The tests assert counts and texts, never the speed of this machine.

#![expect(
    clippy::unwrap_used,
    reason = "in a test a missing value is a failure, told with its line"
)]

mod around;
mod audiences;
mod audit;
mod bench;
mod bench_grpc;
mod bench_http2;
mod bench_limits;
mod blame;
mod certificates;
mod ci;
mod clients;
mod compare;
mod content;
mod converged;
mod credentials;
mod crowd;
mod deploy;
mod documents;
mod endpoint;
mod env;
mod faults;
mod faulty;
mod find;
mod first_failures;
mod fleet;
mod folders;
mod foreign;
mod grid;
mod guide;
mod harness;
mod http;
mod http2;
mod hurry;
mod in_flight;
mod init;
mod input;
mod interrupt;
mod leftovers;
mod limiters;
mod live_line;
mod live_page;
mod losses;
mod loud;
mod marketplace;
mod monitoring;
mod nats;
mod open_load;
mod outputs;
mod passive;
mod places;
mod ports;
mod random_runs;
mod read_delay;
mod ready;
mod redirects;
mod redis;
mod registry;
mod registry_study;
mod repeats;
mod report;
mod responses;
mod rules;
mod scenarios;
mod script_limits;
mod selftest;
mod socketio;
mod sources;
mod sse;
mod sse_http2;
mod starved;
mod steps;
mod streams;
mod study_pages;
mod target;
mod thresholds;
mod trace;
mod transcription_study;
mod unread;
mod wire_errors;
