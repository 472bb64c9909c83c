//! A Prometheus endpoint with invented figures.

use std::io::{BufReader, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::harness::{Raw, ask, read_request};

/// Responds until the test process ends.
#[derive(Debug)]
pub(crate) struct Exporter(Raw);

impl Exporter {
    /// An endpoint of a process that does not run here. It reports half a core of CPU, 100 MB and 12 descriptors.
    pub(crate) fn start() -> Self {
        Self::serving(u32::MAX, 1.7e9)
    }

    /// The same, but with the start time of this process.
    pub(crate) fn of_process(pid: u32) -> Self {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let ticks = stat
            .rsplit(')')
            .next()
            .unwrap()
            .split_whitespace()
            .nth(19)
            .unwrap();
        let ticks: f64 = ticks.parse().unwrap();
        let uptime = std::fs::read_to_string("/proc/uptime").unwrap();
        let uptime: f64 = uptime.split_whitespace().next().unwrap().parse().unwrap();
        Self::serving(u32::MAX, now() - uptime + ticks / 100.0)
    }

    /// Responds normally to this number of requests, and with 500 to all later ones.
    pub(crate) fn failing_after(good: u32) -> Self {
        Self::serving(good, 1.7e9)
    }

    fn serving(good: u32, started_at: f64) -> Self {
        let asked = AtomicU32::new(0);
        Self(Raw::start(move |stream| {
            let before = asked.fetch_add(1, Ordering::Relaxed);
            answer(stream, before < good, started_at);
        }))
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/metrics", self.0.url())
    }
}

/// Waits until another client has sent over 100 requests to the truth server. Panics after about 20 seconds.
pub(crate) fn wait_for_traffic(port: u16) {
    for _ in 0..1_000 {
        let truth = ask(&format!("http://127.0.0.1:{port}/truth"));
        if truth["requests"].as_u64().unwrap_or(0) > 100 {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("nobody asked the server");
}

fn now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs_f64()
}

fn answer(stream: TcpStream, good: bool, started_at: f64) {
    let mut reader = BufReader::new(stream);
    let _ = read_request(&mut reader);
    let mut stream = reader.into_inner();
    let now = now();
    let body = format!(
        "# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total {:.6}\n\
         process_resident_memory_bytes 1e8\nprocess_open_fds 12\nprocess_max_fds 1024\n\
         process_start_time_seconds {started_at}\ngo_info{{version=\"go1.22.1\"}} 1\n\
         # TYPE made_up counter\nmade_up_total{{kind=\"a\"}} {:.3}\nmade_up_level 7\nnot_asked_for 1\n",
        (now - 1.7e9) / 2.0,
        (now - 1.7e9) * 1000.0,
    );
    let status = if good { "200 OK" } else { "500 Oops" };
    let length = body.len();
    let _ = stream.write_all(
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
            .as_bytes(),
    );
}
