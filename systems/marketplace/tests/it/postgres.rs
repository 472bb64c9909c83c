//! The same tests on a real `PostgreSQL`.

use kit::testing::Postgres;

use crate::crash::{survives_kills, survives_the_stores_kill};
use crate::patience::nobody_waits_for_long;
use crate::races::nothing_happens_twice;
use crate::served::Served;
use crate::trade::the_flow_of_the_report;

#[tokio::test(flavor = "multi_thread")]
async fn trades_races_and_kills_on_postgresql() {
    let postgres = Postgres::start();
    {
        let served = Served::on(&postgres.url(), &["--threads", "2"]);
        the_flow_of_the_report(&served).await;
        nothing_happens_twice(&served).await;
    }
    let lock = "BEGIN; LOCK TABLE requests";
    nobody_waits_for_long(&postgres.url(), lock).await;
    survives_kills(&postgres.url(), 3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_of_postgresql_under_load_loses_no_money_and_no_notification() {
    let postgres = Postgres::start();
    let url = postgres.url();
    let postgres = std::sync::Arc::new(std::sync::Mutex::new(postgres));
    let killed = postgres.clone();
    survives_the_stores_kill(&url, move || killed.lock().unwrap().crash_and_restart()).await;
}
