//! The step funnel: the iterations that reached each step, the first failures, and the confidence bounds of pass rates.

use serde_json::{Value, json};

use crate::harness::{Lab, Server, is_invalid};

/// Only the third of four steps fails. Iterations with a number divisible by 5 get a status of 500. Of the others,
/// those divisible by 7 get a timeout, and those divisible by 11 fail a check, which does not end the iteration.
const TRADE: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  load: { groups: [77, 8], once: true, limit: "30s" },
  settle: "100ms",
  thresholds: {
    "step(browse)": ["reached == 100%", "failed == 0"],
    "step(pay)": "reached == 100%",
  },
};
export default async function trade({ number, users: [user], step, check }: Group) {
  const n = number + 1;
  await step("login", () => user!.get("/delay/1ms"));
  await step("browse", () => user!.get("/delay/1ms"));
  await step("select", async () => {
    if (n % 5 === 0 && !(await user!.get("/error/1")).ok) throw new Error("not selected");
    if (n % 7 === 0) await user!.get("/hang", { timeout: "2s" });
    await user!.get("/delay/20ms");
    check("is selected", n % 11 !== 0);
  });
  await step("pay", () => user!.get("/delay/1ms"));
}
"#;

fn traded() -> (Lab, Value) {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("trade.ts", TRADE);
    let ended = lab.run("trade.ts", &truth.url(), &[]);
    let record = lab.record();
    // An invalid level decides no threshold. The script's own exceptions are all that is left to judge then.
    let undecided = ended.code == Some(3) && is_invalid(&record["levels"][0]);
    assert!(
        matches!(ended.code, Some(99 | 98)) || undecided,
        "{ended:#?}"
    );
    (lab, record)
}

/// Returns each step: its path, and the iterations that reached it, passed it, passed it with failures, failed in it,
/// or did not finish it.
fn table(level: &Value) -> Value {
    let steps = level["measured"]["funnel"]["steps"].as_array().unwrap();
    let keys = [
        "path",
        "reached",
        "passed",
        "passed_with_failures",
        "failed",
        "unfinished",
    ];
    let row = |step: &Value| keys.map(|key| step[key].clone());
    steps.iter().map(row).collect::<Vec<_>>().into()
}

/// Returns each first failure: step, kind, status and name, and the failed and succeeded iterations.
fn causes(level: &Value) -> Vec<Value> {
    let causes = level["measured"]["funnel"]["first_failures"]
        .as_array()
        .unwrap();
    let keys = ["step", "kind", "status", "what", "failed", "succeeded"];
    let row = |cause: &Value| Value::from(keys.map(|key| cause[key].clone()).to_vec());
    causes.iter().map(row).collect()
}

#[test]
fn every_step_is_told_with_all_who_reached_it_and_what_failed_first() {
    let (lab, record) = traded();
    let level = &record["levels"][0];
    let expected = json!([
        [["login"], 77, 77, 0, 0, 0],
        [["browse"], 77, 77, 0, 0, 0],
        [["select"], 77, 53, 5, 24, 0],
        [["pay"], 53, 53, 0, 0, 0],
    ]);
    assert_eq!(
        table(level),
        expected,
        "{:#}",
        level["measured"]["failures"]
    );
    let expected = [
        json!([["select"], "status", 500, "GET /error/1", 15, 0]),
        json!([["select"], "timed_out", null, "GET /hang", 9, 0]),
        json!([["select"], "check", null, "is selected", 0, 5]),
    ];
    assert_eq!(causes(level), expected);
    let iterations = &level["measured"]["iterations"];
    assert_eq!(
        (&iterations["succeeded"], &iterations["failed"]),
        (&json!(53), &json!(24))
    );

    let report = lab.headcount(&["report", "run/run.json"]);
    let markdown = std::fs::read_to_string(lab.path("run/report.md")).unwrap();
    report.says(&[
        "select: HTTP status 500, GET /error/1: 15 iterations failed at 77 users",
        "select: check, is selected: 5 iterations succeeded nevertheless at 77 users",
        "53 of 77 (57.3–78.9 %)",
    ]);
    assert!(markdown.contains("53 of 77"), "{markdown}");
    assert!(markdown.contains("9 (> 2.0"), "{markdown}");
}

#[test]
fn the_time_of_a_failed_step_stands_apart_and_a_time_out_has_none() {
    let (_, record) = traded();
    let select = &record["levels"][0]["measured"]["funnel"]["steps"][2];
    assert_eq!(select["begun"], 77);
    assert_eq!(select["passed_time"]["count"], 53);
    let shortest = select["passed_time"]["min_ns"].as_u64().unwrap();
    assert!(
        shortest >= 20_000_000,
        "who failed sooner is mixed in: {shortest} ns"
    );
    assert_eq!(select["failed_time"]["count"], 15);
    assert_eq!(select["timed_out"], 9);
    assert!(select["timeout"].as_u64().unwrap() >= 2_000_000_000);
}

#[test]
fn a_threshold_on_who_reaches_a_step_holds_or_breaks() {
    let (_, record) = traded();
    let results = record["thresholds"].as_array().unwrap();
    let told = |result: &Value| {
        let keys = ["level", "metric", "condition", "held"];
        let mut cells = keys.map(|key| result[key].clone()).to_vec();
        cells.insert(3, result["observed"]["value"].clone());
        Value::from(cells)
    };
    let told: Vec<Value> = results.iter().map(told).collect();
    // If this machine starts the 77 iterations too late, the level says nothing about the target.
    let decided = |level: usize, held: bool| {
        let open = is_invalid(&record["levels"][level]);
        if open { Value::Null } else { Value::from(held) }
    };
    let broken = json!([
        0,
        "step(pay)",
        "reached == 100%",
        53.0 / 77.0,
        decided(0, false)
    ]);
    assert!(told.contains(&broken), "{told:#?}");
    for kept in ["reached == 100%", "failed == 0"] {
        let of_browse = |one: &&Value| one["metric"] == "step(browse)" && one["condition"] == kept;
        let all: Vec<_> = results.iter().filter(of_browse).collect();
        assert_eq!(all.len(), 2, "{results:#?}");
        for one in all {
            let why = one["inconclusive"]["cause"].as_str();
            let late = matches!(why, Some("less_load" | "invalid_level"));
            assert!(one["held"] == true || late, "{one:#}");
        }
    }
}

#[test]
fn a_pass_rate_is_told_with_its_bounds_and_never_called_different() {
    let (lab, _) = traded();
    let report = lab.headcount(&["report", "run/run.json"]);
    // Of the eight iterations only the 5th and the 7th fail: 6 of 8 pass, beside 53 of 77.
    report.says(&[
        "6 of 8 (34.9–96.8 %)",
        "a difference between levels may be due to chance",
    ]);
}

const ROOMS: &str = r#"
import type { Options, Roles } from "headcount";
const group = { buyer: 1, sellers: 3 };
export const options: Options = {
  group, load: { groups: [4], once: true, limit: "1s" }, settle: "100ms",
};
export default async function trade({ number, buyer, sellers, step, together, eventually }: Roles<typeof group>) {
  await step("offers", () => together(sellers, (seller) => seller.step("offer", () => seller.get("/delay/1ms"))));
  await step("accept", async () => {
    await eventually("seen", "200ms", async () => (await buyer.get("/delay/1ms")).ok && number !== 3);
    if (number === 2) await buyer.think("1m");
  });
}
"#;

#[test]
fn a_step_within_another_has_its_path_and_the_unfinished_are_where_they_were() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("rooms.ts", ROOMS);
    lab.run("rooms.ts", &truth.url(), &[]);
    let level = &lab.record()["levels"][0];
    let expected = json!([
        [["offers"], 4, 4, 0, 0, 0],
        [["offers", "offer"], 4, 4, 0, 0, 0],
        [["accept"], 4, 2, 0, 1, 1],
        [["accept", "seen"], 4, 3, 0, 1, 0],
    ]);
    assert_eq!(table(level), expected);
    let story = &level["measured"]["funnel"];
    assert_eq!(story["steps"][1]["begun"], 12);
    assert_eq!(
        story["unfinished"],
        json!([{ "step": ["accept"], "count": 1 }])
    );
    assert_eq!(
        causes(level),
        [json!([["accept", "seen"], "eventually", null, "", 1, 0])]
    );
    let report = lab.headcount(&["report", "run/run.json"]);
    report.says(&["accept > seen", "1 unfinished at 16 users, in accept"]);
}

/// A pool of 40 users, 8 at a time. In setup, each sends a request of 50 ms and a second one. Every 10th of the second
/// ones gets a status of 500.
const POOL: &str = r#"
import type { Group, Options, Setup } from "headcount";
export const options: Options = { load: { users: [4], once: true } };
export async function setup({ pool }: Setup) {
  return pool(40, async (user) => {
    await user.get("/delay/50ms");
    await user.get("/error/10");
  }, { atOnce: 8 });
}
export default async function look({ users: [user] }: Group) {
  await user!.get("/delay/1ms");
}
"#;

#[test]
fn the_pool_of_users_is_timed_apart_and_in_no_levels_figures() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("pool.ts", POOL);
    lab.run("pool.ts", &truth.url(), &[]);
    let record = lab.record();
    let setup = &record["setup"];
    let [pool] = &setup["pools"].as_array().unwrap()[..] else {
        panic!("{setup:#}")
    };
    let keys = ["asked", "made", "failed", "at_once"];
    assert_eq!(keys.map(|key| pool[key].as_u64().unwrap()), [40, 40, 0, 8]);
    assert_eq!((&setup["users"], &setup["failed"]), (&json!(40), &json!(0)));
    // 40 users, 8 at a time, take five rounds of 50 ms.
    assert!(pool["took_s"].as_f64() >= Some(0.25), "{pool:#}");
    assert!(pool["time"]["min_ns"].as_u64() >= Some(50_000_000));
    assert_eq!(setup["requests"]["GET /delay/50ms"]["count"], 40);
    let refused = &setup["requests"]["GET /error/10"];
    assert_eq!(
        (&refused["count"], &refused["failed"]),
        (&json!(40), &json!(4))
    );
    assert_eq!(setup["failures"][0]["kind"], "status");
    let requests = record["levels"][0]["measured"]["requests"]
        .as_object()
        .unwrap();
    let names: Vec<_> = requests.keys().collect();
    assert_eq!(names, ["GET /delay/1ms"], "in none of the level's figures");
    let report = lab.headcount(&["report", "run/run.json"]);
    report.says(&[
        "40 of 40 users created in",
        "4 (5.00 %) of 80 requests failed",
        "slower than the scenario: ",
    ]);
    let markdown = std::fs::read_to_string(lab.path("run/report.md")).unwrap();
    assert!(
        markdown.contains("setup is slower than the scenario"),
        "{markdown}"
    );
}

const BROKEN_POOL: &str = r#"
import type { Group, Options, Setup } from "headcount";
export const options: Options = { load: { users: 2, once: true } };
export async function setup({ pool }: Setup) {
  return pool(12, async (user, index) => {
    await user.get("/delay/1ms");
    if (index === 3) throw new Error("no such user");
  }, { atOnce: 4 });
}
export default async function look({ users: [user] }: Group) {
  await user!.get("/delay/1ms");
}
"#;

#[test]
fn a_user_that_could_not_be_made_is_told_with_its_cause() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("pool.ts", BROKEN_POOL);
    let ended = lab.run("pool.ts", &truth.url(), &[]);
    ended.refused(3, &["no such user"]);
    let record = lab.record();
    let pool = &record["setup"]["pools"][0];
    let keys = ["asked", "made", "failed"];
    assert_eq!(keys.map(|key| pool[key].as_u64().unwrap()), [12, 11, 1]);
    let failures = record["setup"]["failures"].as_array().unwrap();
    assert_eq!(failures.len(), 1, "{failures:#?}");
    assert_eq!(failures[0]["what"], "user of the pool");
    assert_eq!(failures[0]["first"]["detail"], "Error: no such user");
}
