//! When the database does not respond, no request waits for it for long.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;
use sqlx::{AnyConnection, Connection};
use tokio::time::Instant;

use crate::person::REQUESTS;
use crate::served::Served;

/// The limit of five seconds, with extra time for a busy machine. If the waits for a connection, a lock and retries
/// added up, the total would exceed 10 s.
const LONGEST: Duration = Duration::from_secs(9);

/// Keeps the database locked by `lock`, and sends requests.
pub(crate) async fn nobody_waits_for_long(store: &str, lock: &'static str) {
    let served = Served::on(store, &[]);
    let buyer = served.buyer().await;
    sqlx::any::install_default_drivers();
    let mut other = AnyConnection::connect(store).await.unwrap();
    sqlx::raw_sql(lock).execute(&mut other).await.unwrap();
    let asks = (0..20).map(|_| async {
        let begun = Instant::now();
        let body = json!({ "title": "x", "currency": "EUR" });
        let refused = buyer.post(REQUESTS, body).await;
        assert_eq!(refused.status, 503, "{refused:?}");
        begun.elapsed()
    });
    let waited = join_all(asks).await;
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    assert!(waited.iter().all(|waited| *waited < LONGEST), "{waited:?}");
    // The abandoned requests leave nothing behind that blocks other requests.
    buyer.asks().await;
}

#[tokio::test]
async fn a_file_that_another_holds_is_not_waited_for_long() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}/m.db", folder.path().display());
    nobody_waits_for_long(&store, "BEGIN IMMEDIATE").await;
}
