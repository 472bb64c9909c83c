use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;

use crate::client::{receive, send, server};

/// The tests share the process's CPU clocks, so they run one at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// CPU time of each thread whose name begins with `prefix`, in ticks of 10 ms.
fn ticks(prefix: &str) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for task in fs::read_dir("/proc/self/task").unwrap() {
        let Ok(stat) = fs::read_to_string(task.unwrap().path().join("stat")) else {
            continue;
        };
        let (name, rest) = stat.split_once('(').unwrap().1.rsplit_once(')').unwrap();
        if name.starts_with(prefix) {
            let field = |n: usize| {
                rest.split_whitespace()
                    .nth(n)
                    .unwrap()
                    .parse::<u64>()
                    .unwrap()
            };
            *all.entry(name.to_owned()).or_default() += field(11) + field(12);
        }
    }
    all
}

#[test]
fn burning_burns_on_the_one_thread_that_is_named_so() {
    let _alone = ALONE.lock().unwrap();
    let server = server(&[]);
    let before = ticks("truth-loop").values().sum::<u64>();
    for _ in 0..3 {
        let got = server.get("/burn/100ms");
        assert!(got.took.as_millis() >= 100, "{:?}", got.took);
    }
    let used = ticks("truth-loop").values().sum::<u64>() - before;
    assert!((28..=40).contains(&used), "{used} ticks for 300 ms");
}

#[test]
fn a_pool_burns_on_exactly_four_threads() {
    let _alone = ALONE.lock().unwrap();
    let server = server(&[]);
    let mut sockets: Vec<_> = (0..8).map(|_| server.connect()).collect();
    for socket in &mut sockets {
        send(socket, "GET", "/pool/100ms", b"");
    }
    for socket in &mut sockets {
        assert_eq!(receive(socket).status, 200);
    }
    let used = ticks("truth-pool-");
    assert_eq!(used.len(), 4, "{used:?}");
    let sum: u64 = used.values().sum();
    assert!((76..=100).contains(&sum), "{used:?} for 800 ms");
}

#[test]
fn a_leak_keeps_the_memory_that_it_says() {
    let server = server(&["--max-leak", "50000000"]);
    let resident = || {
        let statm = fs::read_to_string("/proc/self/statm").unwrap();
        statm
            .split_whitespace()
            .nth(1)
            .unwrap()
            .parse::<u64>()
            .unwrap()
            * 4096
    };
    let before = resident();
    for _ in 0..40 {
        assert_eq!(server.get("/leak/1000000").status, 200);
    }
    let grown = resident() - before;
    assert!((38_000_000..120_000_000).contains(&grown), "{grown}");
    for expected in [200; 10].into_iter().chain([507]) {
        assert_eq!(server.get("/leak/1000000").status, expected);
    }
    assert_eq!(
        server.truth()["routes"]["/leak/1000000"]["leaked_bytes"],
        50_000_000
    );
}
