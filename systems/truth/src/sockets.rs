use std::io;
use std::net::TcpStream;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use serde_json::{Value, json};
use slab::Slab;

use crate::clock::Nanos;
use crate::connection::{Connection, Fate};

const EVENTS_PER_ROUND: usize = 1024;

/// Identifies a connection. Keys are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    slot: u32,
    generation: u32,
}

/// The value that identifies events of the listening socket. No connection has this value.
pub(crate) const DOOR: u64 = u64::MAX;
pub(crate) const WAKER: u64 = u64::MAX - 1;

/// All connections and the events that they wait for.
#[derive(Debug)]
pub(crate) struct Sockets {
    epoll: OwnedFd,
    open: Slab<(u32, Connection)>,
    generation: u32,
    /// Connections whose output must be written at the end of the round.
    dirty: Vec<Key>,
    queue_limit: usize,
    pub(crate) counts: SocketCounts,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SocketCounts {
    pub(crate) accepted: u64,
    pub(crate) refused: u64,
    pub(crate) cut_off: u64,
    pub(crate) bytes_in: u64,
    pub(crate) bytes_out: u64,
}

impl Sockets {
    pub(crate) fn new(queue_limit: usize) -> io::Result<Self> {
        Ok(Self {
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            open: Slab::new(),
            generation: 0,
            dirty: Vec::new(),
            queue_limit,
            counts: SocketCounts::default(),
        })
    }

    /// Watches a file descriptor that is not a connection.
    pub(crate) fn watch(&self, fd: impl AsFd, name: u64) -> io::Result<()> {
        Ok(epoll::add(
            &self.epoll,
            fd,
            EventData::new_u64(name),
            EventFlags::IN,
        )?)
    }

    pub(crate) fn unwatch(&self, fd: impl AsFd) {
        // This fails only if `fd` was not watched.
        let _ = epoll::delete(&self.epoll, fd);
    }

    /// Waits until an event occurs or `timeout` has passed.
    pub(crate) fn wait(&self, events: &mut Vec<Event>, timeout: Option<Nanos>) -> io::Result<()> {
        events.clear();
        events.reserve(EVENTS_PER_ROUND);
        let timeout = timeout.map(|nanos| Timespec::try_from(Duration::from_nanos(nanos)));
        let timeout = timeout.transpose().map_err(io::Error::other)?;
        let spare = rustix::buffer::spare_capacity(events);
        match epoll::wait(&self.epoll, spare, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn add(&mut self, socket: TcpStream) -> io::Result<Key> {
        self.generation = self.generation.wrapping_add(1);
        let entry = self.open.vacant_entry();
        let slot = u32::try_from(entry.key()).map_err(io::Error::other)?;
        let key = Key {
            slot,
            generation: self.generation,
        };
        epoll::add(
            &self.epoll,
            &socket,
            EventData::new_u64(key.into()),
            EventFlags::IN,
        )?;
        entry.insert((self.generation, Connection::new(socket)));
        self.counts.accepted += 1;
        Ok(key)
    }

    pub(crate) fn get(&mut self, key: Key) -> Option<&mut Connection> {
        let (generation, connection) = self.open.get_mut(key.slot as usize)?;
        (*generation == key.generation).then_some(connection)
    }

    pub(crate) fn remove(&mut self, key: Key) -> Option<Connection> {
        self.get(key)?;
        let (_, connection) = self.open.remove(key.slot as usize);
        // Closing the socket also removes it from the epoll set.
        self.unwatch(&connection.socket);
        Some(connection)
    }

    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }

    /// The keys of all connections.
    pub(crate) fn keys(&self) -> Vec<Key> {
        let all = self.open.iter();
        all.filter_map(|(slot, (generation, _))| {
            Some(Key {
                slot: u32::try_from(slot).ok()?,
                generation: *generation,
            })
        })
        .collect()
    }

    /// Queues bytes to be written at the end of the round. If the queue is full because the client does not read,
    /// disconnects it and returns `false`.
    pub(crate) fn queue(&mut self, key: Key, bytes: &[u8]) -> bool {
        let limit = self.queue_limit;
        let Some(connection) = self
            .get(key)
            .filter(|connection| connection.fate != Fate::CutOff)
        else {
            return false;
        };
        if connection.waiting() + bytes.len() > limit {
            connection.fate = Fate::CutOff;
            self.counts.cut_off += 1;
            self.touch(key);
            return false;
        }
        connection.output.extend_from_slice(bytes);
        self.touch(key);
        true
    }

    /// Marks this connection to be flushed at the end of the round.
    pub(crate) fn touch(&mut self, key: Key) {
        let Some(connection) = self.get(key) else {
            return;
        };
        if !connection.dirty {
            connection.dirty = true;
            self.dirty.push(key);
        }
    }

    /// Writes as much output as possible. Returns whether the connection stays open.
    pub(crate) fn flush(&mut self, key: Key) -> bool {
        let Some(connection) = self.get(key) else {
            return true;
        };
        connection.dirty = false;
        if connection.fate == Fate::CutOff {
            return false;
        }
        let Ok(wrote) = connection.write() else {
            return false;
        };
        let is_done = connection.fate == Fate::Ending && connection.waiting() == 0;
        self.counts.bytes_out += wrote as u64;
        self.settle(key);
        !is_done
    }

    /// The connections to flush now.
    pub(crate) fn take_dirty(&mut self) -> Vec<Key> {
        std::mem::take(&mut self.dirty)
    }

    /// Tells the kernel which events the connection waits for, if they have changed.
    pub(crate) fn settle(&mut self, key: Key) {
        let (generation, connection) = match self.open.get_mut(key.slot as usize) {
            Some((generation, connection)) => (*generation, connection),
            None => return,
        };
        let wanted = connection.wanted();
        if generation != key.generation || wanted == connection.interest {
            return;
        }
        connection.interest = wanted;
        // This cannot fail for a registered socket.
        let _ = epoll::modify(
            &self.epoll,
            &connection.socket,
            EventData::new_u64(key.into()),
            wanted,
        );
    }

    pub(crate) fn to_json(&self) -> Value {
        let counts = self.counts;
        json!({
            "accepted": counts.accepted, "open": self.open.len(), "refused": counts.refused,
            "cut_off": counts.cut_off, "bytes_in": counts.bytes_in, "bytes_out": counts.bytes_out,
        })
    }
}

impl From<Key> for u64 {
    fn from(key: Key) -> Self {
        Self::from(key.generation) << 32 | Self::from(key.slot)
    }
}

impl From<u64> for Key {
    fn from(name: u64) -> Self {
        Self {
            slot: u32::try_from(name & 0xffff_ffff).unwrap_or_default(),
            generation: u32::try_from(name >> 32).unwrap_or_default(),
        }
    }
}
