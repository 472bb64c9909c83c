//! Users who are still being set up when the measurement begins.

use crate::find::saved;
use crate::harness::{Lab, Server};

/// The target sets up 50 users a second, and serves 200 once they are there: one request a second for each.
const SLOW_SETUP: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  group: 1,
  load: { users: 1, warmup: "500ms" },
  thresholds: { "request(ask)": ["p95 < 100ms"] },
};
export default async function asks({ users: [user] }: Group) {
  await user!.get("/queue/1/20ms", { name: "set up" });
  user!.every("1s", () => user!.get("/queue/1/5ms", { name: "ask" }), { first: `${user!.random(1000)}ms` });
  await user!.stay();
}
"#;

#[test]
fn users_who_are_not_ready_do_not_count_as_held() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("slow.ts", SLOW_SETUP);
    let url = truth.url();
    let ended = lab.headcount(&[
        "find", "slow.ts", "--target", &url, "--out", "found", "--budget", "60s", "--first", "25",
    ]);
    let saved = saved(&lab);
    let answer = &saved["answer"];
    // However many users are started, only 75 are ready after the usual ramp and warm-up, and the target holds them.
    assert!(answer["holds"].as_f64() <= Some(220.0), "{answer:#}");
    let trials = saved["trials"].as_array().unwrap();
    let not_ready = trials.iter().any(|one| one["outcome"]["not_ready"] == true);
    assert!(not_ready, "{saved:#}");
    assert!(
        ended
            .stdout
            .contains("because users were not ready in time"),
        "{}",
        ended.stdout
    );
}
