//! A report for which every part was run.

use record::BusiestThread;

use super::*;

#[test]
fn every_figure_of_ours_stands_beside_the_reports() {
    let levels = [16, 20, 32, 64].map(|trades| level(trades, 8.0, 900));
    let report = run(250, levels.to_vec());
    let mut most = arriving(40.0, 7, 80);
    most.target.as_mut().unwrap().busiest_thread = Some(BusiestThread {
        name: "tokio".to_owned(),
        cpu_percent: 95.0,
    });
    let rates = run(1, vec![arriving(10.0, 0, 5), most]);
    let parts = Parts {
        report: Some(&report),
        pooled: Some(&report),
        rate: Some(&rates),
        threads4: Some(&report),
        threads16: Some(&report),
        full: Some(&report),
        limiter: Some(&report),
        lost: Some(&report),
        ledgers: vec![("report", &report)],
        ceiling: None,
    };
    let (page, terminal) = pages(&parts);
    for sentence in [
        "32 trades at once here: 32 of 32 (≥ 89.1 %) with users created in the flow, 32 of 32 (≥ 89.1 %) with users created beforehand.",
        "Logins with 512 passwords at once: p95 90",
        "The ledger added up after each of 1 parts.",
        "p95 15000 and 15004 ms, and p99",
        "256 requests that hash a password, 8.0 per trade.",
        "Fisher's exact test gives p = 1.00 two-sided",
        "notifications.list 23 → 92 and 233 → 653. The levels differ",
        "20 of 20 shows no more than 20 of 20 (≥ 83.2 %). Here 20 at once: 20 of 20 (≥ 83.2 %), logins p95",
        "Z = 15 to 30 s that is 620 to 1220; with its own p50 of a login, R = 8.2 s, it is 57 to 93.",
        "8.00 s for 32 trades at once (run 1 times), 8.00 s for 64 trades at once (run 1 times).",
        "10 trades/s met the thresholds; 40 trades/s did not: 7 of 57 trades dropped because all users were busy, p95 80",
        "There the marketplace used 97 % of 1 core(s), its busiest thread (`tokio`) 95 %: its cores are full.",
        "64 beforehand 64 of 64 (≥ 94.4 %)",
    ] {
        assert!(page.contains(sentence), "{sentence} in {page}");
    }
    assert!(
        terminal.contains(
            "\n4 threads against 16, 32 trades at once: 32 of 32 against 32 of 32 completed;"
        ),
        "{terminal}"
    );
}
