//! Memory and descriptors of this process. The tests run one at a time, because they would disturb each other.

#![expect(clippy::unwrap_used, reason = "a test ends where its premises do")]

use std::fs::File;
use std::hint::black_box;
use std::sync::{Mutex, MutexGuard};

use model::Nanos;
use probe::{
    DescriptorLimit, Machine, NetworkCounters, Sampler, Use, raise_descriptor_limit, use_between,
};

static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Returns the usage of this process while `work` ran. The result of `work` is kept until after the second sample.
fn used_by<T>(work: impl FnOnce() -> T) -> Use {
    let mut sampler = Sampler::new(i32::try_from(std::process::id()).unwrap()).unwrap();
    let before = sampler.sample(Nanos(0)).unwrap();
    let made = work();
    let after = sampler.sample(Nanos(1)).unwrap();
    drop(made);
    use_between(&before, &after).unwrap()
}

fn own_pid() -> i32 {
    i32::try_from(std::process::id()).unwrap()
}

#[test]
fn memory_that_was_written_to_shows() {
    let _alone = alone();
    let grown = used_by(|| black_box(vec![1_u8; 64 << 20])).memory_grown;
    let mebibytes = grown as f64 / f64::from(1 << 20);
    assert!((60.0..72.0).contains(&mebibytes), "{mebibytes} MiB");
}

#[test]
fn open_descriptors_are_counted() {
    let _alone = alone();
    let open = |count| {
        move || {
            (0..count)
                .map(|_| File::open("/dev/null").unwrap())
                .collect::<Vec<_>>()
        }
    };
    let few = used_by(open(0)).descriptors.unwrap();
    let many = used_by(open(50)).descriptors.unwrap();
    assert_eq!(many - few, 50);
}

#[test]
fn the_soft_limit_of_descriptors_is_raised_to_the_hard_one() {
    let _alone = alone();
    let before = DescriptorLimit::current();
    let after = raise_descriptor_limit().unwrap();
    assert_eq!((after.soft, after.hard), (before.hard, before.hard));
    let seen = used_by(|| ());
    assert_eq!(seen.descriptor_limit, after.soft, "what /proc says of us");
    assert_eq!(Machine::look().descriptor_limit, after.soft);
    let share = seen.descriptors.unwrap() as f64 / after.soft.unwrap() as f64;
    assert!((seen.descriptors_used.unwrap() - share).abs() < 1e-12);
}

#[test]
fn segments_sent_over_loopback_are_counted() {
    use std::io::{Read, Write};
    let _alone = alone();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let before = NetworkCounters::of(own_pid()).unwrap();
    let mut client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut server, _) = listener.accept().unwrap();
    for _ in 0..100 {
        client.write_all(b"x").unwrap();
        server.read_exact(&mut [0]).unwrap();
    }
    let sent = NetworkCounters::of(own_pid())
        .unwrap()
        .since(before)
        .segments
        .unwrap();
    assert!(sent >= 100, "{sent} segments");
}

/// The queue of a listener that never accepts holds one connection more than the backlog. The kernel counts further
/// connections.
#[test]
fn an_overflowing_listen_queue_is_counted() {
    let _alone = alone();
    let listener = full_listener();
    let address = listener.local_addr().unwrap();
    let before = NetworkCounters::of(own_pid()).unwrap();
    let short = std::time::Duration::from_millis(50);
    let kept: Vec<_> = (0..8)
        .filter_map(|_| std::net::TcpStream::connect_timeout(&address, short).ok())
        .collect();
    assert!(kept.len() < 8, "the queue of one had room for all");
    let lost = NetworkCounters::of(own_pid()).unwrap().since(before);
    assert!(lost.listen_overflows.unwrap() > 0, "{lost:?}");
    assert!(lost.listen_drops.unwrap() > 0, "{lost:?}");
}

/// A listener with a backlog of one.
fn full_listener() -> std::net::TcpListener {
    use rustix::net::{AddressFamily, SocketType, bind, listen, socket};
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    bind(
        &socket,
        &std::net::SocketAddrV4::new(std::net::Ipv4Addr::LOCALHOST, 0),
    )
    .unwrap();
    listen(&socket, 1).unwrap();
    socket.into()
}
