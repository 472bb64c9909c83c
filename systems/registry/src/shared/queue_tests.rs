//! Kept messages in a real Redis.

use std::sync::Arc;
use std::time::Duration;

use kit::testing::Redis;

use super::link::Link;
use super::redis::Data;
use crate::config::Config;
use crate::message::{Message, MessageId, Mode};
use crate::name::Name;
use crate::tenant::{Tenant, Tenants};
use crate::time::Time;

const HOUR: Duration = Duration::from_hours(1);
const LIMIT: usize = 3;

fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

fn tenant() -> Arc<Tenant> {
    let config: Config = kit::testing::config(&["--max-queued", &LIMIT.to_string()]);
    let tenants: Tenants = config.tenants().unwrap();
    tenants.values().next().unwrap().clone()
}

async fn data(redis: &Redis) -> Data {
    Data::new(Link::open(&[redis.url()]).await.unwrap(), "test:")
}

fn message(id: &str) -> Message {
    Message::new(
        MessageId::new(id).unwrap(),
        name("default"),
        "text/plain".into(),
        Mode::ExactlyOnce,
        "x".into(),
        Time::now(),
    )
}

async fn ids(data: &Data, tenant: &Tenant, identity: &str) -> Vec<String> {
    let pending = data.pending(&tenant.name, &name(identity)).await.unwrap();
    let ids = pending.iter().map(|message| message.id.as_str().to_owned());
    ids.collect()
}

#[tokio::test]
async fn thousands_of_identities_wait_for_a_message_until_each_acknowledges_it() {
    let redis = Redis::start();
    let (data, tenant) = (data(&redis).await, tenant());
    let mut all: Vec<Name> = (0..5000).map(|n| name(&format!("user:{n}"))).collect();
    let message = message("m1");
    let kept = data.keep(&tenant, &message, &all, HOUR, true);
    assert!(kept.await.unwrap().unwrap().is_empty());
    all.sort();
    assert_eq!(data.queued(&tenant.name).await.unwrap(), all);
    let mut settled: Vec<(Name, MessageId)> = Vec::new();
    settled.extend(all.iter().map(|name| (name.clone(), message.id.clone())));
    let last = settled.split_off(4999);
    data.settle(&tenant.name, &settled).await.unwrap();
    assert_eq!(
        data.queued(&tenant.name).await.unwrap(),
        [last[0].0.clone()]
    );
    assert_eq!(ids(&data, &tenant, last[0].0.as_str()).await, ["m1"]);
    data.settle(&tenant.name, &last).await.unwrap();
    assert!(data.queued(&tenant.name).await.unwrap().is_empty());
}

#[tokio::test]
async fn identities_whose_names_begin_alike_have_queues_and_limits_of_their_own() {
    let redis = Redis::start();
    let (data, tenant) = (data(&redis).await, tenant());
    let alike = ["a", "a!", "a0", "aa", "b"].map(name);
    let keep = async |id: &str, identities: &[Name]| {
        let message = message(id);
        let kept = data.keep(&tenant, &message, identities, HOUR, false);
        let full = kept.await.unwrap();
        full.map(|full| full.into_iter().collect::<Vec<Name>>())
    };
    for id in ["z", "m", "c"] {
        assert_eq!(keep(id, &alike[..1]).await, Some(vec![]));
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert_eq!(keep("c", &alike[..1]).await, None, "the id is known");
    assert_eq!(keep("d", &alike).await, Some(vec![name("a")]));
    assert_eq!(
        ids(&data, &tenant, "a").await,
        ["z", "m", "c"],
        "oldest first"
    );
    for other in &alike[1..] {
        assert_eq!(ids(&data, &tenant, other.as_str()).await, ["d"]);
    }
}

#[tokio::test]
async fn a_message_with_the_id_of_an_ended_one_reaches_only_its_own_identities() {
    let redis = Redis::start();
    let (data, tenant) = (data(&redis).await, tenant());
    let (first, short) = (message("order"), Duration::from_millis(50));
    let (a, b) = ([name("a")], [name("b")]);
    let kept = data.keep(&tenant, &first, &a, short, false);
    assert!(kept.await.unwrap().is_some());
    tokio::time::sleep(2 * short).await;
    let second = message("order");
    let kept = data.keep(&tenant, &second, &b, HOUR, false);
    assert!(kept.await.unwrap().is_some(), "the first one has ended");
    assert!(ids(&data, &tenant, "a").await.is_empty());
    assert_eq!(data.queued(&tenant.name).await.unwrap(), [name("b")]);
    assert_eq!(ids(&data, &tenant, "b").await, ["order"]);
}

#[tokio::test]
async fn a_message_whose_retention_ends_leaves_the_queue() {
    let redis = Redis::start();
    let (data, tenant) = (data(&redis).await, tenant());
    let to = [name("a"), name("b")];
    let short = Duration::from_millis(50);
    for (id, retention) in [("short", short), ("long", HOUR)] {
        let message = message(id);
        let kept = data.keep(&tenant, &message, &to, retention, true);
        assert!(kept.await.unwrap().unwrap().is_empty());
    }
    tokio::time::sleep(2 * short).await;
    assert_eq!(ids(&data, &tenant, "a").await, ["long"]);
    let long = MessageId::new("long").unwrap();
    let settled = to.clone().map(|to| (to, long.clone()));
    data.settle(&tenant.name, &settled).await.unwrap();
    // The entry of `a` was removed when its messages were read, the one of `b` was not read yet.
    assert_eq!(data.queued(&tenant.name).await.unwrap(), [name("b")]);
    assert!(ids(&data, &tenant, "b").await.is_empty());
    assert!(data.queued(&tenant.name).await.unwrap().is_empty());
}
