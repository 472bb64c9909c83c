//! Exhausted local ports: a machine has about 28,000 per address, this test allows 20.

use std::process::Command;

use serde_json::Value;

use crate::harness::{Lab, Program};

const FIFTY: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { group: 50, load: { groups: 1, once: true, limit: "20s" } };
export default async function fifty({ everyone }: Group) {
  await everyone(async (user, here) => {
    await user.websocket("/echo");
    await here("all are connected");
  });
}
"#;

/// Enters a new network namespace, which ends with its last process.
const ENTER: [&str; 4] = ["unshare", "-rn", "sh", "-ec"];
const FEW_PORTS: &str =
    "ip link set lo up; echo 40000 40019 > /proc/sys/net/ipv4/ip_local_port_range;";
/// The server's first line means that it is listening. The pipe stays open for the server's later output.
const RUN: &str = r#"
folder=$1 headcount=$2; shift 2; cd "$folder"
mkfifo listens
"$headcount" serve truth --listen 127.0.0.1:4009 > listens & server=$!
trap 'kill $server' EXIT
exec 3< listens; read line <&3
"$headcount" run fifty.ts --target http://127.0.0.1:4009 --out run --json --quiet "$@""#;

fn can_be_entered() -> bool {
    let entered = Command::new(ENTER[0])
        .args(&ENTER[1..])
        .arg(FEW_PORTS)
        .output();
    entered.is_ok_and(|ended| ended.status.success())
}

/// `None` if this machine does not permit a network namespace.
#[expect(clippy::print_stderr, reason = "a test that tests nothing says so")]
fn connections_of_fifty(more: &[&str]) -> Option<(Lab, Value)> {
    if !can_be_entered() {
        eprintln!("not tested: no network namespace can be made here");
        return None;
    }
    let lab = Lab::new().with("fifty.ts", FIFTY);
    let mut command = Command::new(ENTER[0]);
    command
        .args(&ENTER[1..])
        .arg(format!("{FEW_PORTS}{RUN}"))
        .arg("sh")
        .arg(lab.path(""))
        .arg(env!("CARGO_BIN_EXE_headcount"))
        .args(more);
    Program::start(command).end();
    let connections = lab.record()["levels"][0]["measured"]["connections"]["/echo"].clone();
    Some((lab, connections))
}

#[test]
fn where_no_port_is_free_on_loopback_another_loopback_address_is_taken() {
    let Some((lab, connections)) = connections_of_fifty(&[]) else {
        return;
    };
    assert_eq!(connections["count"], 50, "{:#?}", lab.failures());
    assert_eq!(connections["failed"], 0, "{:#?}", lab.failures());
}

#[test]
fn users_come_from_the_given_addresses_in_turn() {
    let three = ["--source", "127.0.0.1,127.0.0.9,127.0.0.17"];
    let Some((lab, connections)) = connections_of_fifty(&three) else {
        return;
    };
    assert_eq!(connections["failed"], 0, "{:#?}", lab.failures());
}

#[test]
fn who_names_one_address_is_told_that_its_ports_are_used_up() {
    let Some((lab, connections)) = connections_of_fifty(&["--source", "127.0.0.1"]) else {
        return;
    };
    assert_eq!(connections["count"], 50, "{connections:#}");
    assert!(
        connections["failed"].as_u64() >= Some(30),
        "{connections:#}"
    );
    let failure = lab.failures().remove(0);
    assert_eq!(failure["side"], "generator", "{failure:#}");
    let told = failure.to_string();
    assert!(told.contains("no local port is free"), "{failure:#}");
}
