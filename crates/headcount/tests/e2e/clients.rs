//! Third-party clients against the bridge.

use std::process::Command;

use serde_json::Value;

use crate::harness::{Program, Server, python};

#[test]
fn curl_talks_to_the_bridge() {
    let bridge = Server::bridge(&[]);
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--show-error", "--max-time", "10", "--data"])
        .arg(r#"{"user":"ada","room":"Tower","message":"hello"}"#)
        .arg(format!("{}/bridge/chat", bridge.url()));
    let ended = Program::start(curl).end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(answer["user"], "ada");
    assert_eq!(answer["room"], "Tower");
    assert_eq!(answer["sequence"], 1);
    assert!(!answer["reply"].as_str().unwrap().is_empty());
}

/// Two clients of Python's `websockets` in one room, and one in another.
const TALK: &str = r#"
import asyncio, json, sys
from websockets.asyncio.client import connect

async def until(socket, kind):
    while True:
        event = json.loads(await asyncio.wait_for(socket.recv(), 10))
        if event["type"] == kind:
            return event

async def main(url):
    person = lambda name, room: connect(f"{url}/bridge/ws?user={name}&room={room}")
    async with person("ada", "Tower") as ada, person("bob", "Tower") as bob, person("eve", "Garden") as eve:
        for socket in (ada, bob, eve):
            assert (await until(socket, "welcome"))["session"]
        await ada.send(json.dumps({"type": "say", "text": "grüße"}))
        for socket in (ada, bob):
            said = await until(socket, "said")
            assert (said["from"], said["text"], said["room"]) == ("ada", "grüße", "Tower"), said
        await eve.send(json.dumps({"type": "say", "text": "only me"}))
        said = await until(eve, "said")
        assert said["text"] == "only me", said
        pong = await bob.ping()
        await asyncio.wait_for(pong, 10)
    print("all heard")

asyncio.run(main(sys.argv[1]))
"#;

#[test]
fn pythons_websockets_talks_to_the_bridge() {
    let bridge = Server::bridge(&[]);
    let mut client = python();
    client
        .args(["-c", TALK])
        .arg(bridge.url().replace("http", "ws"));
    let ended = Program::start(client).end();
    assert_eq!(ended.stdout, "all heard\n", "{}", ended.stderr);
}
