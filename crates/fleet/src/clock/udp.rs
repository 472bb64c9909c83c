//! Questions for the time over UDP. They take the direct way to an agent, and lack the delays of a server and of TCP.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket as BlockingSocket};
use std::thread;
use std::time::Duration;

use clocksync::Exchange;
use engine::Clock;
use model::Nanos;
use tokio::net::UdpSocket;
use tokio::time::{sleep, timeout};

use super::PAUSE;
use crate::protocol::Member;

/// After the last question, replies are awaited for this time.
const GRACE: Duration = Duration::from_millis(250);

/// A question and its reply: four numbers of eight bytes, highest byte first. Both have the same size, so that an agent
/// cannot be used to multiply traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Packet {
    /// Of the agent. Only clients that may read the bucket of the agents know it, and others get no reply.
    incarnation: u64,
    /// Number of the question.
    question: u64,
    /// When the agent received the question. Zero in a question.
    received: Nanos,
    /// When the agent replied. Zero in a question.
    replied: Nanos,
}

impl Packet {
    const SIZE: usize = 32;

    fn to_bytes(self) -> [u8; Self::SIZE] {
        let numbers = [
            self.incarnation,
            self.question,
            self.received.0,
            self.replied.0,
        ];
        let mut bytes = [0; Self::SIZE];
        for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_be_bytes());
        }
        bytes
    }

    /// `None` if the size is wrong.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (numbers, []) = bytes.as_chunks::<8>() else {
            return None;
        };
        let &[incarnation, question, received, replied] = numbers else {
            return None;
        };
        Some(Self {
            incarnation: u64::from_be_bytes(incarnation),
            question: u64::from_be_bytes(question),
            received: Nanos(u64::from_be_bytes(received)),
            replied: Nanos(u64::from_be_bytes(replied)),
        })
    }
}

/// Begins to answer questions that arrive at this address of the agent's machine, and returns it with its port. `None` if
/// that is not possible: clocks are then compared over NATS alone.
pub(crate) fn answer(host: IpAddr, incarnation: u64, clock: Clock) -> Option<SocketAddr> {
    let socket = BlockingSocket::bind((host, 0)).ok()?;
    let address = socket.local_addr().ok()?;
    thread::Builder::new()
        .name("clock".to_owned())
        .spawn(move || while reply(&socket, incarnation, clock).is_ok() {})
        .ok()?;
    Some(address)
}

/// Waits for a question, and answers it if it is for this agent.
fn reply(socket: &BlockingSocket, incarnation: u64, clock: Clock) -> io::Result<()> {
    let mut bytes = [0; Packet::SIZE + 1];
    let (size, sender) = match socket.recv_from(&mut bytes) {
        Err(why) if why.kind() == io::ErrorKind::Interrupted => return Ok(()),
        received => received?,
    };
    let received = clock.now();
    let question = bytes.get(..size).and_then(Packet::from_bytes);
    if let Some(question) = question.filter(|question| question.incarnation == incarnation) {
        let reply = Packet {
            received,
            replied: clock.now(),
            ..question
        };
        let _ = socket.send_to(&reply.to_bytes(), sender); // the coordinator asks again
    }
    Ok(())
}

/// All local addresses from which a peer can be reached.
pub(crate) fn any_address(peer: SocketAddr) -> IpAddr {
    if peer.is_ipv4() {
        Ipv4Addr::UNSPECIFIED.into()
    } else {
        Ipv6Addr::UNSPECIFIED.into()
    }
}

/// Asks an agent for the time, this number of times. Questions and replies can be lost, and the agent may be out of reach.
pub(super) async fn ask(member: &Member, clock: Clock, questions: u32) -> Vec<Exchange> {
    let Some(peer) = member.clock_address else {
        return Vec::new();
    };
    let Ok(mut asker) = Asker::open(peer, member.incarnation, clock).await else {
        return Vec::new();
    };
    for _ in 0..questions {
        if asker.send().await.is_err() {
            break; // nobody listens there
        }
        let (_, ()) = tokio::join!(timeout(PAUSE, asker.receive()), sleep(PAUSE));
    }
    let _ = timeout(GRACE, asker.receive()).await; // replies can be lost
    asker.exchanges
}

/// The questions to one agent, and its replies.
#[derive(Debug)]
struct Asker {
    socket: UdpSocket,
    incarnation: u64,
    clock: Clock,
    /// When each question was sent.
    sent: Vec<Nanos>,
    exchanges: Vec<Exchange>,
}

impl Asker {
    async fn open(peer: SocketAddr, incarnation: u64, clock: Clock) -> io::Result<Self> {
        let socket = UdpSocket::bind((any_address(peer), 0)).await?;
        socket.connect(peer).await?;
        Ok(Self {
            socket,
            incarnation,
            clock,
            sent: Vec::new(),
            exchanges: Vec::new(),
        })
    }

    async fn send(&mut self) -> io::Result<()> {
        let question = Packet {
            incarnation: self.incarnation,
            question: self.sent.len() as u64,
            ..Packet::default()
        };
        self.sent.push(self.clock.now());
        self.socket.send(&question.to_bytes()).await.map(|_| ())
    }

    /// Receives replies until each question has its reply.
    async fn receive(&mut self) {
        let mut bytes = [0; Packet::SIZE + 1];
        while self.exchanges.len() < self.sent.len() {
            let Ok(size) = self.socket.recv(&mut bytes).await else {
                return; // nobody listens there
            };
            let returned = self.clock.now();
            let reply = bytes.get(..size).and_then(Packet::from_bytes);
            self.exchanges
                .extend(reply.and_then(|reply| self.exchange(reply, returned)));
        }
    }

    /// `None` if it is not a reply to a question of this asker.
    fn exchange(&self, reply: Packet, returned: Nanos) -> Option<Exchange> {
        let question = usize::try_from(reply.question).ok()?;
        let &sent = self.sent.get(question)?;
        (reply.incarnation == self.incarnation).then_some(Exchange {
            sent,
            received: reply.received,
            replied: reply.replied,
            returned,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::membership::tests::member;

    fn ask_it(address: Option<SocketAddr>, incarnation: u64) -> Vec<Exchange> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let member = Member {
            clock_address: address,
            incarnation,
            ..member("a-1")
        };
        runtime.block_on(ask(&member, Clock::start(), 5))
    }

    #[test]
    fn an_agent_answers_with_its_time() {
        let clock = Clock::start().behind_by(-3_600_000_000_000).unwrap();
        let address = answer(Ipv4Addr::LOCALHOST.into(), 7, clock).unwrap();
        let exchanges = ask_it(Some(address), 7);
        assert_eq!(exchanges.len(), 5);
        for exchange in exchanges {
            let (low, high) = (exchange.lower_bound().0, exchange.upper_bound().0);
            assert!(low <= high && high - low < 250_000_000, "{exchange:?}");
            assert!((high - 3_600_000_000_000).abs() < 1_000_000_000, "{high}");
        }
    }

    #[test]
    fn an_agent_answers_only_who_knows_its_incarnation() {
        let address = answer(Ipv4Addr::LOCALHOST.into(), 7, Clock::start()).unwrap();
        assert_eq!(ask_it(Some(address), 8), []);
    }

    #[test]
    fn an_agent_out_of_reach_has_no_replies() {
        let free = BlockingSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        assert_eq!(ask_it(Some(address), 7), []);
        assert_eq!(ask_it(None, 7), []);
    }

    #[test]
    fn packets_of_another_size_are_ignored() {
        let packet = Packet {
            incarnation: 1,
            question: 2,
            received: Nanos(3),
            replied: Nanos(u64::MAX),
        };
        let bytes = packet.to_bytes();
        assert_eq!(Packet::from_bytes(&bytes), Some(packet));
        assert_eq!(Packet::from_bytes(&bytes[1..]), None);
        assert_eq!(Packet::from_bytes(&[0; 40]), None);
    }
}
