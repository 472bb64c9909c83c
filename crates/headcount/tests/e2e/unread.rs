//! Messages that the script does not read.

use serde_json::Value;

use crate::harness::{Lab, Server};

/// Receives more messages than a socket stores, and ends with `LATER`.
const ECHOES: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 1, load: { users: 1, duration: "1s" } };
export default async function talk({ users: [ann] }: Group) {
  const socket = await ann!.websocket("/echo");
  for (let number = 0; number < 200; number += 1) socket.send(`number ${number}`);
  await ann!.think("300ms");
  LATER
  await socket.close();
}
"#;

fn causes(later: &str) -> Vec<Value> {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("echoes.ts", &ECHOES.replace("LATER", later));
    let level = lab.level("echoes.ts", &truth.url(), &[]);
    assert_eq!(level["iterations"]["failed"], 0, "{level:#}");
    let issues = level["issues"].as_array().unwrap();
    issues.iter().map(|issue| issue["cause"].clone()).collect()
}

#[test]
fn messages_that_nobody_reads_are_ignored_until_the_script_looks_for_one() {
    assert!(!causes("").contains(&"events_dropped".into()));
    let looked = causes("await socket.next();");
    assert!(looked.contains(&"events_dropped".into()), "{looked:?}");
}
