//! An agent: it announces itself, answers the coordinator, and takes part in one run at a time.

use std::net::{IpAddr, ToSocketAddrs as _, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use async_nats::jetstream::kv::Store;
use async_nats::{Client, Message, Subject, Subscriber};
use engine::{Clock, Shipment};
use futures_util::StreamExt as _;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Notify, mpsc as tokio_mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{interval, timeout};

use crate::access::NatsAccess;
use crate::bundle;
use crate::clock;
use crate::error::FleetError;
use crate::frames::Joiner;
use crate::inbox::Inbox;
use crate::lease::{BEAT, FAREWELL};
use crate::membership::{ANNOUNCE, VERSION, announce, join};
use crate::nats::Link;
use crate::outbox::Outbox;
use crate::protocol::{
    self, Lease, Member, Prepare, Prepared, Reading, RefusalKind, decode, encode,
};
use crate::share::{self, Channels, Incoming};

/// The settings of an agent.
#[derive(Clone, Debug, Default)]
pub struct AgentOptions {
    /// The NATS server.
    pub nats: NatsAccess,
    /// Name of the agent; `None`: the machine's name and the process ID.
    pub name: Option<String>,
    /// Whether runs with `--target-is-mine` may load targets outside this machine and private networks.
    pub allows_any_target: bool,
}

/// What an agent does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentState {
    /// It waits, and runs can find it.
    Waits,
    /// It takes part in a run.
    TakesPart,
}

/// Hears of each change of an agent's state, with the agent's name.
type Teller = Box<dyn Fn(&str, AgentState) + Send + Sync>;

/// The state that the tasks of an agent share.
struct Agent {
    link: Link,
    member: Member,
    clock: Clock,
    allows_any_target: bool,
    is_busy: AtomicBool,
    /// Notified when `is_busy` has changed.
    changed: Notify,
    tell: Teller,
}

/// Joins the fleet and works until SIGTERM or SIGINT. Calls `tell` with the agent's name and state when it has joined, and
/// when its state changes.
pub fn serve(
    options: AgentOptions,
    clock: Clock,
    tell: impl Fn(&str, AgentState) + Send + Sync + 'static,
) -> Result<(), FleetError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    runtime.block_on(work(options, clock, Box::new(tell)))
}

async fn work(options: AgentOptions, clock: Clock, tell: Teller) -> Result<(), FleetError> {
    let name = options.name.unwrap_or_else(own_name);
    let link = Link::open(&options.nats, &name).await?;
    let members = link.members().await?;
    link.bundles().await?;
    link.runs().await?;
    let mut prepares = link.subscribe(protocol::prepare(&name)).await?;
    let clocks = link.subscribe(protocol::clock(&name)).await?;
    let member = member(name, &options.nats.url, clock)?;
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    join(&members, &member).await?;
    tell(&member.name, AgentState::Waits);
    tokio::spawn(answer_clock(link.client.clone(), clocks, clock));
    let agent = Arc::new(Agent {
        link,
        member,
        clock,
        allows_any_target: options.allows_any_target,
        is_busy: AtomicBool::new(false),
        changed: Notify::new(),
        tell,
    });
    let announcing = tokio::spawn(keep_announcing(Arc::clone(&agent), members.clone()));
    loop {
        tokio::select! {
            message = prepares.next() => match message {
                Some(message) => tokio::spawn(Arc::clone(&agent).handle(message)),
                None => break,
            },
            _ = terminated.recv() => return leave(&agent, &members, announcing).await,
            _ = interrupted.recv() => return leave(&agent, &members, announcing).await,
        };
    }
    Err(FleetError::nats("work")(
        "the connection was closed".to_owned(),
    ))
}

/// Frees the agent's name at once. A run in progress loses the agent.
async fn leave(
    agent: &Agent,
    members: &Store,
    announcing: JoinHandle<()>,
) -> Result<(), FleetError> {
    announcing.abort();
    let _ = announcing.await; // nothing is announced from here on
    // Without a connection, the entry expires.
    let _ = timeout(ANNOUNCE, members.delete(&agent.member.name)).await;
    Ok(())
}

fn own_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let host: String = host.trim().chars().filter(|&letter| fits(letter)).collect();
    let host = if host.is_empty() { "agent" } else { &host };
    format!("{host}-{}", std::process::id())
}

fn member(name: String, nats: &str, clock: Clock) -> Result<Member, FleetError> {
    let machine = probe::Machine::look();
    let incarnation = getrandom::u64().map_err(std::io::Error::from)?;
    Ok(Member {
        name,
        incarnation,
        version: VERSION.to_owned(),
        cores: machine.cores,
        memory_mb: machine.memory.map(|bytes| bytes / 1_000_000),
        clock_address: own_address(nats).and_then(|host| clock::answer(host, incarnation, clock)),
        started_at: clock.started_at(),
        is_busy: false,
    })
}

/// The local address from which this machine reaches the NATS server. Nothing is sent.
fn own_address(nats: &str) -> Option<IpAddr> {
    let url = url::Url::parse(nats).ok()?;
    let host = url.host_str()?.trim_matches(['[', ']']);
    let servers = (host, url.port().unwrap_or(4222)).to_socket_addrs();
    let server = servers.ok()?.next()?;
    let socket = UdpSocket::bind((clock::any_address(server), 0)).ok()?;
    socket.connect(server).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// Answers requests for the time of the agent's clock.
async fn answer_clock(client: Client, mut requests: Subscriber, clock: Clock) {
    while let Some(request) = requests.next().await {
        let received = clock.now();
        let Some(reply) = request.reply else { continue };
        let reading = Reading {
            received,
            replied: clock.now(),
        };
        if let Ok(reading) = encode(&reading) {
            let _ = client.publish(reply, reading).await; // the coordinator asks again
        }
    }
}

async fn keep_announcing(agent: Arc<Agent>, members: Store) {
    loop {
        let member = Member {
            is_busy: agent.is_busy.load(Ordering::Relaxed),
            ..agent.member.clone()
        };
        // Without a connection, the entry expires. The next announcement restores it.
        let _ = announce(&members, &member).await;
        let _ = timeout(ANNOUNCE, agent.changed.notified()).await;
    }
}

impl Agent {
    /// Answers a request to take part in a run, and takes part in it.
    async fn handle(self: Arc<Self>, message: Message) {
        let Some(reply) = message.reply else { return };
        let prepare = match decode::<Prepare>(&message.payload) {
            Ok(prepare) if prepare.incarnation == self.member.incarnation => prepare,
            Ok(_) => return, // meant for an agent of the same name that has ended
            Err(why) => return self.refuse(reply, RefusalKind::Usage, why).await,
        };
        if self.is_busy.swap(true, Ordering::Relaxed) {
            let why = "it takes part in another run".to_owned();
            return self.refuse(reply, RefusalKind::Busy, why).await;
        }
        self.changed.notify_one();
        if let Err(why) = self.take_part(prepare, reply.clone()).await {
            self.refuse(reply, RefusalKind::Machine, why).await;
        }
        self.is_busy.store(false, Ordering::Relaxed);
        self.changed.notify_one();
    }

    async fn refuse(&self, reply: Subject, kind: RefusalKind, why: String) {
        self.answer(reply, &Prepared::Refused { kind, why }).await;
    }

    async fn answer(&self, reply: Subject, prepared: &Prepared) {
        if let Ok(answer) = encode(prepared) {
            let _ = self.link.client.publish(reply, answer).await; // the coordinator has a time limit
        }
    }

    async fn take_part(&self, mut prepare: Prepare, reply: Subject) -> Result<(), String> {
        let name = &self.member.name;
        let text = |why: FleetError| why.to_string();
        let commands = Inbox::open(&self.link, protocol::commands(&prepare.run, name));
        let commands = commands.await.map_err(text)?;
        let leases = self.link.subscribe(protocol::lease(&prepare.run));
        let leases = leases.await.map_err(text)?;
        let shipment = self.shipment(&prepare.bundle).await?;
        let needs_permission = prepare.settings.target_is_mine && !self.allows_any_target;
        prepare.settings.target_is_mine &= self.allows_any_target;
        let events = protocol::events(&prepare.run, name);
        let (to_share, incoming) = mpsc::channel();
        let (outgoing, mut messages) = tokio_mpsc::unbounded_channel();
        let (answer, answered) = oneshot::channel();
        let channels = Channels {
            incoming,
            outgoing,
            answer,
        };
        let clock = self.clock;
        thread::Builder::new()
            .name("share".to_owned())
            .spawn(move || share::run(prepare, &shipment, clock, channels))
            .map_err(|why| why.to_string())?;
        let receiving = [
            tokio::spawn(receive_commands(commands, to_share.clone())),
            tokio::spawn(receive_leases(leases, to_share)),
        ];
        let mut prepared = answered.await.map_err(|_| "it crashed".to_owned())?;
        if let Prepared::Refused { why, .. } = &mut prepared
            && needs_permission
        {
            why.push_str(" (the agent runs without --allow-any-target)");
        }
        let is_ready = matches!(prepared, Prepared::Ready { .. });
        if is_ready {
            (self.tell)(name, AgentState::TakesPart);
        }
        self.answer(reply, &prepared).await;
        let outbox = Outbox::open(&self.link, events);
        let mut beat = interval(BEAT);
        loop {
            let message = tokio::select! {
                message = messages.recv() => message,
                _ = beat.tick() => Some(Vec::new()),
            };
            let Some(message) = message else { break };
            outbox.send(message);
        }
        outbox.close(Duration::from(FAREWELL)).await;
        receiving.iter().for_each(tokio::task::JoinHandle::abort);
        if is_ready {
            (self.tell)(name, AgentState::Waits);
        }
        Ok(())
    }

    async fn shipment(&self, bundle: &str) -> Result<Shipment, String> {
        let bundles = self.link.bundles().await.map_err(|why| why.to_string())?;
        bundle::load(&bundles, bundle).await
    }
}

async fn receive_commands(mut frames: Inbox, to_share: mpsc::Sender<Incoming>) {
    let mut joiner = Joiner::default();
    loop {
        let incoming = match joiner.add(&frames.next().await.payload) {
            Ok(None) => continue,
            Ok(Some(command)) => Incoming::Command(command),
            Err(_) => Incoming::Broken,
        };
        if to_share.send(incoming).is_err() {
            return;
        }
    }
}

async fn receive_leases(mut renewals: Subscriber, to_share: mpsc::Sender<Incoming>) {
    while let Some(renewal) = renewals.next().await {
        let Ok(lease) = decode::<Lease>(&renewal.payload) else {
            continue;
        };
        if to_share.send(Incoming::Lease(lease)).is_err() {
            return;
        }
    }
}
