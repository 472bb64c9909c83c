//! Clients that exhaust memory, and other users of the machine who want the passwords.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use kit::testing::hostile::{resident, send_pings};
use serde_json::json;

use crate::served::Served;

#[tokio::test]
async fn one_who_sends_pings_and_reads_nothing_takes_no_memory() {
    const MEBIBYTE: usize = 1 << 20;
    let served = Served::start(&[]);
    let eve = served.buyer().await;
    let before = resident(served.pid());
    let address = served.url.strip_prefix("http://").unwrap().parse().unwrap();
    let path = format!("/api/notifications/ws?access_token={}", eve.token);
    let sending = tokio::task::spawn_blocking(move || send_pings(address, &path));
    let sent = sending.await.unwrap();
    let grown = resident(served.pid()).saturating_sub(before);
    // The kernel's buffers hold some data. The marketplace itself stops reading when it cannot write pongs.
    assert!(sent < 64 * MEBIBYTE, "{sent} bytes of pings were taken");
    assert!(
        grown < 16 * MEBIBYTE,
        "{grown} bytes for {sent} bytes of pings"
    );
    eve.get("/api/users/me").await.done();
    served.kill();
}

#[tokio::test]
async fn an_array_is_no_object() {
    let served = Served::start(&[]);
    let body = json!(["eve@market.test", "correct horse", "Eve", "buyer"]);
    let refused = served.stranger().post("/api/auth/register", body).await;
    refused.refused(400, "invalid_json");
    served.kill();
}

#[tokio::test]
async fn nobody_else_on_the_machine_may_read_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}", folder.path().join("market.db").display());
    let served = Served::on(&store, &[]);
    served.buyer().await;
    let files: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert!(files.len() >= 2, "the database and its log: {files:?}");
    for file in files {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.path().display());
    }
    served.kill();
}
