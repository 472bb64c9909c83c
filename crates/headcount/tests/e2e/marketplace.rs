//! The trades of the study at a small scale: the built-in marketplace with its users, its money and its injected fault.

use std::path::PathBuf;

use serde_json::Value;

use crate::harness::{Lab, Server};

/// A marketplace with cheap password hashing and its own database file.
fn marketplace(lab: &Lab, more: &[&str]) -> Server {
    let store = format!("sqlite:{}", lab.path("market.db").display());
    let cheap = [
        "--hash",
        "bcrypt",
        "--bcrypt-cost",
        "4",
        "--hash-queue",
        "4096",
    ];
    let admin = [
        "--admin-email",
        "admin@market.test",
        "--admin-password",
        "correct horse",
    ];
    let open = ["--store", &store, "--rate-limit-bypass-ips", "127.0.0.0/8"];
    Server::marketplace(&[&open, admin.as_slice(), &cheap, more].concat())
}

fn scenario(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../study/scenarios");
    folder.join(name).display().to_string()
}

/// Runs the scenario with one level of four trades. Returns the record.
fn four_trades(lab: &Lab, market: &Server, name: &str) -> Value {
    let users = ["--users", "16", "--out", "run"];
    lab.headcount(
        &[
            &["run", &scenario(name), "--quiet", "--target", &market.url()],
            users.as_slice(),
        ]
        .concat(),
    );
    lab.record()
}

/// The marketplace checks its ledger against its invariants.
fn the_ledger_adds_up(lab: &Lab, market: &Server) {
    let look = scenario("marketplace-ledger.ts");
    let ended = lab.headcount(&["run", &look, "--quiet", "--target", &market.url()]);
    assert_eq!(ended.code, Some(0), "{ended:#?}");
}

fn succeeded_and_failed(level: &Value) -> (u64, u64) {
    let all = &level["measured"]["iterations"];
    (
        all["succeeded"].as_u64().unwrap(),
        all["failed"].as_u64().unwrap(),
    )
}

#[test]
fn trades_come_through_with_users_made_in_the_flow_and_beforehand_and_the_ledger_adds_up() {
    for name in ["marketplace-flow.ts", "marketplace-pooled.ts"] {
        let lab = Lab::new();
        let market = marketplace(&lab, &[]);
        let record = four_trades(&lab, &market, name);
        let level = &record["levels"][0];
        assert_eq!(
            succeeded_and_failed(level),
            (4, 0),
            "{name}: {:#}",
            level["measured"]["failures"]
        );
        let steps = level["measured"]["funnel"]["steps"].as_array().unwrap();
        assert!(
            steps
                .iter()
                .all(|step| step["reached"] == 4 && step["passed"] == 4),
            "{name}: {steps:#?}"
        );
        the_ledger_adds_up(&lab, &market);
    }
}

#[test]
fn the_lost_notification_of_the_report_is_found_and_named() {
    let lab = Lab::new();
    let market = marketplace(&lab, &["--lose-accepted"]);
    let record = four_trades(&lab, &market, "marketplace-pooled.ts");
    let level = &record["levels"][0];
    assert_eq!(succeeded_and_failed(level), (0, 4));
    let [first] = &level["measured"]["funnel"]["first_failures"]
        .as_array()
        .unwrap()[..]
    else {
        panic!("{:#}", level["measured"]["funnel"])
    };
    assert_eq!(
        (&first["step"][0], &first["failed"]),
        (&"offer-accepted seen".into(), &4.into())
    );
    the_ledger_adds_up(&lab, &market);
}
