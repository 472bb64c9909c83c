//! The `websockets` library of Python, which the report's own clients used.

use std::process::Command;

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

#[test]
fn the_websockets_library_of_python_works() {
    let service = Served::start(&[]);
    let url = service.url("/v1/transcribe/stream").replace("http", "ws");
    let ran = Command::new("/usr/bin/python3")
        .args(["-c", CLIENT, &url])
        .output();
    let ran = ran.expect("Python is not installed: run ./test.sh");
    let complaint = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(
        String::from_utf8_lossy(&ran.stdout),
        "done\n",
        "{complaint}"
    );
}
