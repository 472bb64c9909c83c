//! A cluster of two nodes of `redis-server`, and raw servers that redirect.

use super::raw::{answer, serving, url};
use super::{Value, once, passes, round_trip};
use crate::harness::RedisServer;
use crate::interrupt::until;

/// Two nodes that know each other. Each serves half of the slots.
fn cluster() -> (RedisServer, RedisServer) {
    let node = || RedisServer::start(&["--cluster-enabled", "yes"]);
    let (first, second) = (node(), node());
    // Distinct epochs, so that the nodes need not agree on an order first.
    for (node, from, to, epoch) in [(&first, "0", "8191", "1"), (&second, "8192", "16383", "2")] {
        assert_eq!(node.cli(&["CLUSTER", "ADDSLOTSRANGE", from, to]), "OK");
        assert_eq!(node.cli(&["CLUSTER", "SET-CONFIG-EPOCH", epoch]), "OK");
    }
    let (port, bus) = (second.port().to_string(), second.cluster_port().to_string());
    assert_eq!(
        first.cli(&["CLUSTER", "MEET", "127.0.0.1", &port, &bus]),
        "OK"
    );
    let is_whole = |node: &RedisServer| {
        let info = node.cli(&["CLUSTER", "INFO"]);
        info.contains("cluster_state:ok") && info.contains("cluster_slots_ok:16384")
    };
    until("a cluster", || is_whole(&first) && is_whole(&second));
    (first, second)
}

#[test]
fn commands_go_to_the_node_of_their_key_and_follow_redirects() {
    let (first, second) = cluster();
    let body = r#"
  const redis = await user.redis({ cluster: true });
  check("server", redis.server!.mode === "cluster");
  const nodes = [await user.redis(), await user.redis({ url: "SECOND" })] as const;
  const keys = Array.from({ length: 50 }, (_, n) => `key:${n}`);
  await Promise.all(keys.map((key) => redis.call({ command: "SET", name: "fill" }, key, key)));
  const sizes = await Promise.all(nodes.map((node) => node.call("DBSIZE")));
  check("both have keys", sizes[0] > 10 && sizes[1] > 10 && sizes[0] + sizes[1] === 50);
  const values = await redis.pipeline(keys.map((key) => ["GET", key]));
  check("in order", values.join() === keys.join());
  const ids = await Promise.all(nodes.map((node) => node.call("CLUSTER", "MYID")));

  const moved = await redis.call("CLUSTER", "KEYSLOT", "foo"); // 12182: on the second node
  for (const node of nodes) await node.call("CLUSTER", "SETSLOT", moved, "NODE", ids[0]);
  await redis.call({ command: "SET", name: "moved" }, "foo", 1);
  await redis.call({ command: "SET", name: "learned" }, "foo", 2);
  check("moved", await nodes[0].call("GET", "foo") === "2");

  const asked = await redis.call("CLUSTER", "KEYSLOT", "bar"); // 5061: on the first node
  await nodes[1].call("CLUSTER", "SETSLOT", asked, "IMPORTING", ids[0]);
  await nodes[0].call("CLUSTER", "SETSLOT", asked, "MIGRATING", ids[1]);
  await redis.call({ command: "SET", name: "asked" }, "bar", 1);
  await redis.call({ command: "SET", name: "asked" }, "bar", 2);
  check("asked", await nodes[1].call("CLUSTER", "COUNTKEYSINSLOT", asked) === 1);

  const subscription = await redis.subscribe("news");
  await nodes[1].call("PUBLISH", "news", "from the other node");
  check("published", (await subscription.next()).text === "from the other node");
  await redis.close();
  check("closed", !redis.open && !subscription.open);
"#;
    let lab = once(&body.replace("SECOND", &second.url()));
    passes(&lab, &first.url(), 7);
    assert_eq!(lab.failures(), Vec::<Value>::new());
    for (name, count, repeated) in [
        ("fill", 50, 0),
        ("moved", 1, 1),
        ("learned", 1, 0),
        ("asked", 2, 2),
    ] {
        assert_eq!(round_trip(&lab, name, "count"), count, "{name}");
        let found = round_trip(&lab, name, "repeated").as_u64().unwrap_or(0);
        assert_eq!(found, repeated, "{name}");
    }
    assert_eq!(second.calls("asking"), 2);
    assert_eq!(first.calls("set") + second.calls("set"), 54);
    assert_eq!(
        round_trip(&lab, "GET", "count"),
        first.calls("get") + second.calls("get")
    );
}

#[test]
fn a_command_is_redirected_at_most_five_times_and_never_to_a_foreign_network() {
    let server = serving(|words, stream| match words[0].as_str() {
        "CLUSTER" => answer(stream, "*0\r\n"),
        "AWAY" => answer(stream, "-MOVED 1 203.0.113.9:7000\r\n"),
        _ => {
            let port = stream.local_addr().unwrap().port();
            answer(stream, &format!("-MOVED 1 127.0.0.1:{port}\r\n"));
        }
    });
    let lab = once(
        r#"
  const redis = await user.redis({ cluster: true });
  try { await redis.call("GET", "a"); } catch (error) { check("too often", (error as RedisError).code === "MOVED"); }
  try { await redis.call("AWAY", "b"); } catch (error) { check("foreign", (error as Failure).kind === "not_allowed"); }
"#,
    );
    passes(&lab, &url(&server), 2);
    assert_eq!(round_trip(&lab, "GET", "repeated"), 5);
    assert_eq!(round_trip(&lab, "GET", "failed"), 1);
    assert_eq!(lab.failure("script", "not_allowed", "AWAY")["count"], 1);
}

#[test]
fn a_server_outside_of_a_cluster_is_refused_as_one() {
    let server = RedisServer::start(&[]);
    let lab = once(
        r#"
  try { await user.redis({ cluster: true }); } catch (error) { check("refused", String(error).includes("cluster support disabled")); }
"#,
    );
    passes(&lab, &server.url(), 1);
    let name = format!("connection {}", server.url());
    assert_eq!(lab.failure("target", "content", &name)["count"], 1);
    // The connection itself opened. That the cluster could not be used is a failure beside it.
    let connections = &lab.record()["levels"][0]["measured"]["connections"];
    let counts: Vec<_> = connections.as_object().unwrap().values().collect();
    let sum = |key: &str| -> u64 { counts.iter().map(|one| one[key].as_u64().unwrap()).sum() };
    assert_eq!((sum("count"), sum("failed")), (2, 1), "{connections:#}");
}
