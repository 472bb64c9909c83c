//! The table in a real Redis, as several workers use it.

use std::sync::Arc;
use std::time::Duration;

use kit::testing::Redis;
use tokio::sync::mpsc::Receiver;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::*;
use crate::sessions::session::Session;
use crate::sessions::table::{Full, Sessions};

/// The lease of the workers, which no test reaches.
const LEASE: &str = "600";

/// A worker of this name that has joined the table.
async fn worker(redis: &Redis, name: &str, limit: u32) -> (Shared, Receiver<Ended>) {
    let (url, limit) = (redis.url(), limit.to_string());
    let arguments = [
        ["--redis", url.as_str()],
        ["--worker-lease", LEASE],
        ["--max-global-sessions", limit.as_str()],
    ];
    let config = crate::testing::config(arguments.as_flattened()).shared;
    let opened = Shared::open(&config, name.to_owned()).await.unwrap();
    let (shared, ended) = opened.unwrap();
    shared.join(&Vec::new()).await.unwrap();
    (shared, ended)
}

fn shown(id: &str) -> Shown {
    Shown::of(&Session::new(id.into(), Instant::now()))
}

/// These sessions as live ones.
fn live(ids: &[&str]) -> Live {
    let one = |id: &&str| ((*id).to_owned(), Some(shown(id)));
    ids.iter().map(one).collect()
}

#[tokio::test]
async fn a_session_does_not_count_against_itself() {
    let redis = Redis::start();
    let (here, _) = worker(&redis, "here", 1).await;
    // The reply to the first admission may be lost, so it is repeated.
    for _ in 0..2 {
        assert_eq!(here.admit("a", &shown("a")).await, Admission::Admitted);
    }
    assert_eq!(here.admit("b", &shown("b")).await, Admission::Full);
    // A session that is not admitted yet is neither written nor removed.
    let mut sessions = live(&["a"]);
    sessions.push(("b".to_owned(), None));
    here.compare(|| sessions).await.unwrap();
    assert_eq!(here.count().await.unwrap(), 1);
}

#[tokio::test]
async fn a_comparison_between_a_session_and_its_admission_does_not_count_it() {
    let redis = Redis::start();
    let (here, _) = worker(&redis, "here", 1).await;
    let here = Arc::new(here);
    let table = Sessions::new(9, Duration::from_mins(1)).sharing(Some(here.clone()));
    let table = Arc::new(table);
    let _opened = table.open(Instant::now()).unwrap();
    here.compare(|| table.live()).await.unwrap();
    assert_eq!(here.count().await.unwrap(), 0);
    let admitted = table.admit(Instant::now()).await.unwrap();
    here.compare(|| table.live()).await.unwrap();
    assert_eq!(here.count().await.unwrap(), 1);
    drop(admitted);
}

#[tokio::test]
async fn a_request_to_end_a_session_stays_until_its_worker_acknowledges_it() {
    let redis = Redis::start();
    let (here, _) = worker(&redis, "here", 9).await;
    let (there, _) = worker(&redis, "there", 9).await;
    here.admit("a", &shown("a")).await;
    assert!(there.end("a").await.unwrap());
    assert!(!there.end("b").await.unwrap());
    // The first reply is lost.
    for _ in 0..2 {
        assert_eq!(here.renew(&[]).await.unwrap().ends, ["a"]);
    }
    let done = ["a".to_owned()];
    assert_eq!(here.renew(&done).await.unwrap().ends, [] as [&str; 0]);
    // Neither does a worker forget it that was cut off for longer than its lease.
    there.end("a").await.unwrap();
    here.leave().await.unwrap();
    let renewed = here.renew(&[]).await.unwrap();
    assert_eq!((renewed.lasts, renewed.ends), (false, done.to_vec()));
}

#[tokio::test]
async fn a_worker_whose_lease_ended_admits_nobody_before_its_other_sessions_count() {
    let redis = Redis::start();
    let (here, _) = worker(&redis, "here", 2).await;
    let here = Arc::new(here);
    let table = Sessions::new(9, Duration::from_mins(1)).sharing(Some(here.clone()));
    let table = Arc::new(table);
    let first = table.admit(Instant::now()).await.unwrap();
    let second = table.admit(Instant::now()).await.unwrap();
    // Like the other workers, when the lease has ended.
    here.leave().await.unwrap();
    assert_eq!(here.admit("a", &shown("a")).await, Admission::Lapsed);
    let third = table.admit(Instant::now()).await;
    assert!(matches!(third, Err(Full::Global)), "{third:?}");
    assert_eq!(here.count().await.unwrap(), 2);
    drop((first, second));
}

#[tokio::test]
async fn of_many_nodes_that_recover_a_session_at_the_same_time_one_takes_it() {
    let redis = Redis::start();
    let (here, _) = worker(&redis, "here", 9).await;
    let mut others = Vec::new();
    for number in 0..8 {
        let (other, _) = worker(&redis, &format!("other {number}"), 9).await;
        others.push(Arc::new(other));
    }
    for is_lost in [false, true] {
        let id = format!("lost: {is_lost}");
        here.admit(&id, &shown(&id)).await;
        let lost = [(id.clone(), Some(shown(&id).past))];
        if is_lost {
            here.remove(&lost, Duration::from_mins(1)).await.unwrap();
        }
        let mut taken = JoinSet::new();
        for other in &others {
            let (other, id) = (other.clone(), id.clone());
            taken.spawn(async move { other.recover(&id, false).await.unwrap() });
        }
        let taken = taken.join_all().await;
        let figures: Vec<_> = taken.into_iter().flatten().collect();
        assert_eq!(figures.len(), 1);
        assert!(figures[0].is_some());
        // Its own worker learns of the loss only now. It must not offer the session again.
        here.remove(&lost, Duration::from_mins(1)).await.unwrap();
        here.compare(|| live(&[&id])).await.unwrap();
        for (node, is_known) in [(&here, true), (&*others[0], false)] {
            assert!(node.recover(&id, is_known).await.unwrap().is_none());
        }
    }
    assert_eq!(here.renew(&[]).await.unwrap().ends, ["lost: false"]);
}

#[tokio::test]
async fn a_worker_recovers_a_session_that_only_it_knows_and_nobody_one_that_is_unknown() {
    let redis = Redis::start();
    let (here, _) = worker(&redis, "here", 9).await;
    assert!(here.recover("a", false).await.unwrap().is_none());
    assert!(matches!(here.recover("a", true).await, Ok(Some(None))));
    assert!(here.recover("a", true).await.unwrap().is_none());
}

#[tokio::test]
async fn a_list_of_the_sessions_of_other_workers_has_a_limit() {
    let redis = Redis::start();
    let (here, _) = worker(&redis, "here", 9).await;
    for name in ["one", "two"] {
        let (other, _) = worker(&redis, name, 9).await;
        let ids: Vec<String> = (0..1500).map(|id| format!("{name} {id}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        other.join(&live(&ids)).await.unwrap();
    }
    for (most, listed) in [(0, 0), (10, 10), (2000, 2000), (9999, 3000)] {
        let (others, count) = here.others(most).await.unwrap();
        assert_eq!((others.len(), count), (listed, 3000));
    }
}

#[tokio::test]
async fn a_worker_is_asked_to_end_a_limited_number_of_sessions_at_a_time() {
    let redis = Redis::start();
    let (here, _) = worker(&redis, "here", 9).await;
    let (there, _) = worker(&redis, "there", 9).await;
    let ids: Vec<String> = (0..1500).map(|id| id.to_string()).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    here.join(&live(&ids)).await.unwrap();
    for id in ids {
        there.end(id).await.unwrap();
    }
    let first = here.renew(&[]).await.unwrap().ends;
    assert_eq!(first.len(), 1000);
    let second = here.renew(&first).await.unwrap().ends;
    assert_eq!(second.len(), 500);
    assert!(here.renew(&second).await.unwrap().ends.is_empty());
}

#[tokio::test]
async fn a_comparison_removes_the_sessions_that_a_worker_no_longer_has() {
    let redis = Redis::start();
    let (here, _) = worker(&redis, "here", 9).await;
    let (there, _) = worker(&redis, "there", 9).await;
    here.join(&live(&["a", "b"])).await.unwrap();
    there.join(&live(&["c"])).await.unwrap();
    here.compare(|| live(&["b", "d"])).await.unwrap();
    assert_eq!(here.count().await.unwrap(), 3);
    assert!(!there.end("a").await.unwrap());
    assert!(there.end("d").await.unwrap());
}
