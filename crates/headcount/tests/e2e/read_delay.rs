//! The read delay, between the kernel's receive timestamp and the read. It is known here, because the script keeps the
//! thread busy.

use std::fmt::Debug;
use std::fs;
use std::io::Write as _;
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, SystemTime};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::harness::{Lab, Raw, Server, ask, read_request};

const SPIN: &str =
    "function spin(ms: number) { const end = Date.now() + ms; while (Date.now() < end); }\n";
const STALL_MS: f64 = 20.0;

/// Repeats a measurement until three results are as expected, at most ten times. A busy machine disturbs some of them.
fn mostly<T: Debug>(measure: impl FnMut() -> T, is_as_expected: impl Fn(&T) -> bool) {
    const MOST: usize = 10;
    const ENOUGH: usize = 3;
    let mut results = Vec::new();
    for result in std::iter::repeat_with(measure).take(MOST) {
        results.push(result);
        if results.iter().filter(|one| is_as_expected(one)).count() == ENOUGH {
            return;
        }
    }
    panic!("fewer than {ENOUGH} of {MOST} are as expected: {results:?}");
}

/// Sends a message every few milliseconds, on the server's own clock.
fn speaking(pause: Duration) -> Raw {
    Raw::start(move |stream| {
        let Ok(mut socket) = tungstenite::accept(stream) else {
            return;
        };
        while socket.send("hello".into()).is_ok() {
            thread::sleep(pause);
        }
    })
}

fn answering() -> Raw {
    Raw::start(|mut stream: TcpStream| {
        let mut reader = std::io::BufReader::new(stream.try_clone().unwrap());
        while read_request(&mut reader).is_some() {
            let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
            if stream.write_all(answer).is_err() {
                break;
            }
        }
    })
}

fn go(body: &str) -> String {
    format!(
        "export const options = {{ load: {{ users: 1, duration: \"1500ms\" }} }};\n{SPIN}\
         export default async function go({{ users: [u] }}) {{ {body} }}\n"
    )
}

/// Returns the read delay at a quantile in milliseconds, and the number of sampled reads.
fn read_delay(body: &str, target: &str, quantile: f64) -> (f64, u64) {
    let text = go(body);
    // On a busy machine, a short run may be over before the kernel starts to create timestamps.
    let runs = (0..10).map(|_| {
        let lab = Lab::new().with("go.ts", &text);
        lab.level("go.ts", target, &[]);
        let saved = fs::read_to_string(lab.path("run/run.json")).unwrap();
        let run = record::from_json(&saved).unwrap();
        run.levels[0].generator.read_delay.clone().unwrap()
    });
    let delays = { runs }.find(|delays| delays.count() > 20).unwrap();
    let at = delays.quantile(quantile).unwrap().as_millis_f64();
    (at, delays.count())
}

#[test]
fn messages_that_come_while_the_thread_is_busy_are_read_as_late_as_that() {
    // One of three reads follows a stall, and then gets all messages of the last 20 ms.
    let body = "const s = await u.websocket('/'); let end = 0;
        s.on('message', () => { if (Date.now() - end >= 2) { spin(20); end = Date.now(); } });
        await u.stay();";
    let server = speaking(Duration::from_millis(1));
    let (longest, _) = read_delay(body, &server.url(), 1.0);
    assert!(longest >= STALL_MS * 0.9, "{longest}");
    // On a busy machine, the server's messages may arrive one by one, so that fewer of the reads follow a stall.
    mostly(
        || read_delay(body, &server.url(), 0.8),
        |(often, _)| *often >= STALL_MS * 0.7,
    );
}

#[test]
fn an_answer_that_comes_while_the_thread_is_busy_is_read_as_late_as_that() {
    let body = "const answer = u.get('/x'); spin(20); await answer;";
    let (median, reads) = read_delay(body, &answering().url(), 0.5);
    assert!(median >= STALL_MS * 0.7, "{median} of {reads} reads");
}

#[test]
fn a_time_ends_when_the_kernel_has_the_answer_and_not_when_a_busy_thread_reads_it() {
    let body = "const answer = u.get('/x', { name: 'x' }); spin(20); await answer;";
    let text = go(body);
    // On a busy machine, a short run may be over before the kernel starts to create timestamps.
    let median = || {
        let lab = Lab::new().with("go.ts", &text);
        let level = lab.level("go.ts", &answering().url(), &[]);
        level["requests"]["by_name"]["x"]["p50_ms"]
            .as_f64()
            .unwrap()
    };
    mostly(median, |ms| *ms < STALL_MS * 0.5);
}

#[test]
fn no_time_is_shorter_than_the_truth() {
    let text = "export const options = { load: { users: 50, duration: '1s' } };
        export default async function go({ users: [u] }) { await u.get('/delay/20ms', { name: 'x' }); }";
    let (lab, server) = (Lab::new().with("go.ts", text), Server::truth(&[]));
    lab.level("go.ts", &server.url(), &[]);
    let saved = fs::read_to_string(lab.path("run/run.json")).unwrap();
    let run = record::from_json(&saved).unwrap();
    let service = &run.levels[0].measured.requests["x"].service;
    // The histogram's bins are 0.1 % wide.
    assert!(
        service.min().unwrap().as_millis_f64() >= 19.9,
        "{:?}",
        service.min()
    );
    assert!(service.count() > 100);
}

#[test]
fn what_was_there_before_the_message_is_not_its_reply() {
    let pushing = Raw::start(|stream| {
        let Ok(mut socket) = tungstenite::accept(stream) else {
            return;
        };
        let mut pushed = socket.send("a push".into());
        while pushed.is_ok() && socket.read().is_ok() {
            thread::sleep(Duration::from_millis(5)); // so that each message is read separately
            pushed = socket.send("the reply".into());
            thread::sleep(Duration::from_millis(5));
            pushed = pushed.and(socket.send("a push".into()));
        }
    });
    let body = "const s = await u.websocket('/');
        for (;;) { spin(20); u.check('the reply', await s.request('x') === 'the reply'); }";
    // The kernel creates timestamps as long as any socket wants them. On a busy machine they start late, and so may the
    // push.
    let _goes_on = Server::truth(&[]);
    let checks = || -> Value {
        let lab = Lab::new().with("go.ts", &go(body));
        lab.level("go.ts", &pushing.url(), &[])["checks"].clone()
    };
    mostly(checks, |seen| {
        seen["failed"] == 0 && seen["passed"].as_u64() >= Some(10)
    });
}

#[test]
fn an_idle_thread_reads_at_once() {
    let body = "const s = await u.websocket('/'); s.on('message', () => {}); await u.stay();";
    let server = speaking(Duration::from_millis(5));
    let (median, reads) = read_delay(body, &server.url(), 0.5);
    assert!(median < 2.0, "{median} of {reads} reads");
}

#[test]
fn without_a_connection_the_delay_is_not_known() {
    let text = "export const options = { load: { users: 1, duration: \"100ms\" } };
        export default async function go({ users: [u] }) { await u.sleep(\"10ms\"); }";
    let server = answering();
    let level = Lab::new()
        .with("go.ts", text)
        .level("go.ts", &server.url(), &[]);
    assert!(
        level["generator"]["read_delay_p99_ms"].is_null(),
        "{level:#}"
    );
}

#[test]
fn the_truth_server_counts_from_when_its_kernel_had_the_request() {
    // The server is stopped for most of the delay, and must still respond on time. A busy machine may wake it late.
    const DELAY: Duration = Duration::from_millis(400);
    let took = || {
        let server = Server::truth(&[]);
        let pid = Pid::from_raw(i32::try_from(server.pid()).unwrap()).unwrap();
        ask(&format!("{}/healthz", server.url()));
        kill_process(pid, Signal::STOP).unwrap();
        let url = format!("{}/delay/400ms", server.url());
        let began = SystemTime::now();
        let asked = thread::spawn(move || ask(&url));
        thread::sleep(DELAY * 3 / 4); // simulates a server that reads late
        kill_process(pid, Signal::CONT).unwrap();
        asked.join().unwrap();
        let took = began.elapsed().unwrap();
        assert!(took >= DELAY, "never early: {took:?}");
        took
    };
    mostly(took, |took| *took < DELAY * 5 / 4);
}
