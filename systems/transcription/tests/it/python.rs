//! Clients in Python: the `websockets` library, which the report's own clients used, and the user file for Locust.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::served::Served;

/// Sends chunks and waits for each reply, as the report's clients did.
const CLIENT: &str = r#"
import asyncio, base64, json, random, sys
import websockets

async def main():
    async with websockets.connect(sys.argv[1]) as socket:
        start = json.loads(await socket.recv())
        assert start["type"] == "session_start" and start["session_id"], start
        kinds = set()
        for _ in range(50):
            noise = bytes(random.randrange(256) for _ in range(640))
            await socket.send(json.dumps({"type": "audio", "data": base64.b64encode(noise).decode()}))
            kinds.add(json.loads(await socket.recv())["type"])
        assert kinds <= {"partial", "final"}, kinds
        await socket.send(json.dumps({"type": "stop"}))
        async for _ in socket:
            pass
        assert socket.close_code == 1000, socket.close_code
    print("done")

asyncio.run(main())
"#;

/// A program that `e2e/install.sh` installs.
fn installed(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../e2e/.venv/bin");
    let program = folder.join(name);
    assert!(
        program.exists(),
        "{} is missing: run ./e2e/install.sh (or ./test.sh, which does)",
        program.display()
    );
    program
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_websockets_library_of_python_works() {
    let service = Served::start(&[]);
    let url = service.url("/v1/transcribe/stream").replace("http", "ws");
    // The version of the distribution, and a current one.
    for python in [PathBuf::from("/usr/bin/python3"), installed("python")] {
        let ran = Command::new(python).args(["-c", CLIENT, &url]).output();
        let ran = ran.expect("Python is not installed: run ./test.sh");
        let complaint = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(printed(&ran), "done\n", "{complaint}");
    }
}

#[tokio::test]
async fn locust_users_stream_and_post_without_failures() {
    let service = Served::start(&["--latency-ms", "5"]);
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/locust/locustfile.py");
    let (users, host) = ("24", service.url(""));
    let ran = Command::new(installed("locust"))
        .args(["-f", file, "--headless", "--json", "--host", &host])
        .args(["-u", users, "-r", users, "-t", "6s"])
        .args(["TranscriptionUser", "WebSocketOnlyUser", "RESTOnlyUser"])
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{complaint}");
    let rows: Vec<Value> = serde_json::from_str(&printed(&ran)).unwrap();
    let requests = |name: &str| {
        let row = rows.iter().find(|row| row["name"] == name);
        let row = row.unwrap_or_else(|| panic!("no row {name}: {complaint}"));
        assert_eq!(row["num_failures"], 0, "{name}: {complaint}");
        row["num_requests"].as_u64().unwrap()
    };
    for name in ["connect", "session_complete", "/v1/transcribe"] {
        assert!(requests(name) > 0, "{name}");
    }
    // A chunk of each user may have been in flight when Locust ended.
    let counted = service.metric("asr_chunks_total").await;
    let reported = requests("audio_chunk");
    assert!(
        (reported..=reported + 24).contains(&counted),
        "Locust counts {reported} chunks, the service {counted}"
    );
}
