//! The clocks of agents, compared with the wall clock, which all agents on this machine share.

use jiff::Timestamp;
use serde_json::Value;

use crate::harness::{Lab, Server};

/// Longer than the time between two measurements during a level.
const SHORT: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = { load: { users: 4, duration: "6s" } };
export default async function go({ users: [user], think }: Group) {
  await user!.get("/delay/1ms");
  await think("100ms");
}
"#;

/// Between its readings of the monotonic clock and of the wall clock, a process can lose its CPU.
const BETWEEN_READINGS_MS: f64 = 1.0;

fn started(of: &Value) -> Timestamp {
    of["started_at"].as_str().unwrap().parse().unwrap()
}

#[test]
fn the_offsets_of_the_agents_clocks_are_true_within_their_errors() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("short.ts", SHORT);
    let fleet = ["--fleet", "local:4", "--workers", "1"];
    let ended = lab.run("short.ts", &truth.url(), &fleet);
    assert!(matches!(ended.code, Some(0 | 98)), "{ended:#?}");
    let record = lab.record();
    let agents = record["agents"].as_array().unwrap();
    assert_eq!(agents.len(), 4);
    for agent in agents {
        let clock = &agent["clock"];
        let apart = started(&record).duration_since(started(clock));
        let true_ms = apart.as_secs_f64() * 1e3;
        let error_ms = (clock["offset_ms"].as_f64().unwrap() - true_ms).abs();
        let stated_ms = clock["error_ms"].as_f64().unwrap();
        assert!(
            error_ms <= stated_ms + BETWEEN_READINGS_MS,
            "{clock:#}, but the true offset is {true_ms} ms"
        );
        assert!(stated_ms < 100.0, "the error says nothing: {clock:#}");
        assert!(
            clock["drift_ppm"]
                .as_f64()
                .is_none_or(|ppm| ppm.abs() < 100.0)
        );
    }
}
