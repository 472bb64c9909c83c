//! Sends GETs in a closed loop over one epoll set, to measure the cost of the HTTP hot path alone:
//! `blast http://127.0.0.1:8080/ [connections] [seconds]`.
#![allow(
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    reason = "an example prints, and its connections are few"
)]

use std::error::Error;
use std::fs;
use std::sync::Arc;

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::time::{ClockId, clock_gettime};
use url::Url;
use wire::http::{Connection, Request};
use wire::{Endpoint, Phase, Read, Stream};

const TICKS_PER_SECOND: f64 = 100.0; // USER_HZ on all common Linux systems

struct Blast {
    connections: Vec<Connection>,
    encoded: Vec<u8>,
    buffer: Vec<u8>,
    requests: u64,
    latency_total: u64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let url: Url = args.next().ok_or("which URL?")?.parse()?;
    let count: usize = args.next().map_or(Ok(50), |text| text.parse())?;
    let seconds: u64 = args.next().map_or(Ok(5), |text| text.parse())?;

    let address = wire::resolve(&Endpoint::try_from(&url)?)?[0];
    let mut encoded = Vec::new();
    Request::new("GET", Arc::new(url)).encode_into(None, &mut encoded)?;
    let epoll = epoll::create(CreateFlags::CLOEXEC)?;
    let mut connections = Vec::new();
    for index in 0..count {
        let connection = Connection::new(Stream::connect(address, None, None)?);
        let interest = EventFlags::IN | EventFlags::OUT;
        let data = EventData::new_u64(index as u64);
        epoll::add(&epoll, connection.stream().fd(), data, interest)?;
        connections.push(connection);
    }
    let mut blast = Blast {
        connections,
        encoded,
        buffer: vec![0; 256 * 1024],
        requests: 0,
        latency_total: 0,
    };
    let start = now();
    let (user, system) = cpu_ticks()?;
    blast.run(&epoll, start + seconds * 1_000_000_000)?;
    let elapsed = (now() - start) as f64 / 1e9;
    let (user_after, system_after) = cpu_ticks()?;
    let each = |ticks: u64| ticks as f64 / TICKS_PER_SECOND * 1e6 / blast.requests as f64;
    println!(
        "{:.0} requests/s, {:.2} us user + {:.2} us system CPU per request, mean {:.3} ms",
        blast.requests as f64 / elapsed,
        each(user_after - user),
        each(system_after - system),
        blast.latency_total as f64 / blast.requests as f64 / 1e6,
    );
    Ok(())
}

impl Blast {
    fn run(&mut self, epoll: &rustix::fd::OwnedFd, deadline: u64) -> Result<(), Box<dyn Error>> {
        let mut events: Vec<Event> = Vec::with_capacity(1024);
        let mut started = vec![0; self.connections.len()];
        while now() < deadline {
            events.clear();
            epoll::wait(epoll, rustix::buffer::spare_capacity(&mut events), None)?;
            for event in &events {
                let index = event.data.u64() as usize;
                self.on_ready(epoll, index, &mut started[index])?;
            }
        }
        Ok(())
    }

    fn on_ready(
        &mut self,
        epoll: &rustix::fd::OwnedFd,
        index: usize,
        started: &mut u64,
    ) -> Result<(), Box<dyn Error>> {
        let connection = &mut self.connections[index];
        if connection.stream().phase() != Phase::Open {
            if connection.stream_mut().advance()? == Phase::Open {
                let data = EventData::new_u64(index as u64);
                epoll::modify(epoll, connection.stream().fd(), data, EventFlags::IN)?;
                *started = now();
                connection.send(&self.encoded, true)?;
            }
            return Ok(());
        }
        let count = match connection.stream_mut().read(&mut self.buffer) {
            Read::Bytes(count) => count,
            Read::Empty => return Ok(()),
            Read::Closed => return Err("closed".into()),
            Read::Failed(fault) => return Err(fault.into()),
        };
        let received = now();
        if let Some(response) = connection.on_bytes(&self.buffer[..count])? {
            if response.status != 200 || !connection.reusable() {
                return Err(format!("status {}", response.status).into());
            }
            self.requests += 1;
            self.latency_total += received - *started;
            *started = now();
            connection.send(&self.encoded, true)?;
        }
        Ok(())
    }
}

fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// User and system CPU of this process, in clock ticks (`/proc/self/stat`, fields 14 and 15).
fn cpu_ticks() -> Result<(u64, u64), Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit(") ").next().ok_or("no stat")?;
    let fields: Vec<&str> = after_name.split(' ').collect();
    Ok((fields[11].parse()?, fields[12].parse()?))
}
