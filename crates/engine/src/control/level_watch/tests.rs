use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::json;
use url::Url;

use super::*;
use crate::clock::Clock;
use crate::level::tests::plan_of;
use crate::prepare::{Settings, prepare_plain};
use crate::program::{Plain, Send};
use crate::run::run;
use crate::stop::Stop;

#[test]
fn the_duration_so_far_counts_from_the_start_of_the_measured_time() {
    let plan = plan_of(&json!({ "users": 7, "warmup": "2s", "duration": "10s" }));
    let level = so_far(&plan, Nanos::from_millis(5500));
    assert_eq!((level.phases.duration_s, level.load.users), (3.5, 7));
}

/// The URL of a server that answers every request.
fn server() -> Url {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    thread::spawn(move || {
        for peer in listener.incoming() {
            let peer = peer.unwrap();
            thread::spawn(move || answer(peer));
        }
    });
    Url::parse(&url).unwrap()
}

/// Answers the requests on a connection, none of which has a body.
fn answer(mut peer: TcpStream) {
    let (mut head, mut buffer) = (Vec::new(), [0; 1024]);
    while let Ok(count @ 1..) = peer.read(&mut buffer) {
        head.extend_from_slice(&buffer[..count]);
        if head.ends_with(b"\r\n\r\n") {
            head.clear();
            let sent = peer.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            if sent.is_err() {
                return;
            }
        }
    }
}

#[test]
fn a_stop_ends_the_measured_time_and_keeps_the_measurements() {
    let url = server();
    let options = json!({ "target": url.as_str(), "load": { "users": 2, "duration": "60s" } });
    let send = Send::Request {
        method: "GET".to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
        expect: Vec::new(),
    };
    let plain = Plain {
        url,
        send,
        count: None,
        per_socket: None,
        shared: None,
    };
    let settings = Settings {
        workers: Some(2),
        ..Settings::default()
    };
    let config = prepare_plain(plain, options, settings).unwrap();
    let stop = Stop::default();
    let outcome = run(config, Clock::start(), &stop, &mut |notice| {
        if matches!(notice, Notice::Live(_)) && stop.asked() == 0 {
            stop.ask();
        }
    });
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    let [level] = &outcome.record.levels[..] else {
        panic!("not one level: {:?}", outcome.record.levels);
    };
    let answered = level
        .measured
        .requests
        .values()
        .map(|request| request.count);
    assert!(answered.sum::<u64>() > 0);
    assert!(level.phases.duration_s < 30.0, "{:?}", level.phases);
}
