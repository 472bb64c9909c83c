//! Redis and the process give the same answers to filters.

use std::sync::Arc;

use kit::testing::Redis;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

use super::link::Link;
use super::redis::Data;
use crate::filter::Filter;
use crate::filter::tests::{filter, metadata};
use crate::name::Name;
use crate::registration::{Registration, Wish};
use crate::tenant::{Tenant, Tenants};

/// Number of identities, and of filters that are compared on all of them.
const IDENTITIES: usize = 80;
const FILTERS: usize = 500;

fn tenant() -> Arc<Tenant> {
    let config: crate::config::Config = kit::testing::config(&[]);
    let tenants: Tenants = config.tenants().unwrap();
    tenants.values().next().unwrap().clone()
}

fn names(found: &[Arc<Registration>]) -> Vec<Name> {
    let mut names: Vec<Name> = found.iter().map(|found| found.identity.clone()).collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_filter_finds_the_same_identities_inside_redis_and_in_the_process() {
    let redis = Redis::start();
    let link = Link::open(&[redis.url()]).await.unwrap();
    let data = Data::new(link, "test:");
    let tenant = tenant();
    let mut runner = TestRunner::deterministic();
    for n in 0..IDENTITIES {
        let drawn = metadata().new_tree(&mut runner).unwrap().current();
        let wish = Wish {
            identity: Name::new(&format!("i{n}")).unwrap(),
            metadata: Arc::new(drawn),
            ttl_seconds: None,
            replace: false,
        };
        data.register(&tenant, wish).await.unwrap();
    }
    let all = data.registrations(&tenant.name).await.unwrap();
    assert_eq!(all.len(), IDENTITIES);
    let (mut compared, mut partial) = (0, 0);
    for _ in 0..FILTERS {
        let drawn = filter().new_tree(&mut runner).unwrap().current();
        let Ok(filter) = Filter::read(&drawn) else {
            continue; // too deep
        };
        let inside = data.enumerate(&tenant.name, &filter).await.unwrap();
        let matching = all.iter().filter(|found| filter.matches(&found.metadata));
        let matching: Vec<_> = matching.cloned().collect();
        assert_eq!(names(&inside), names(&matching), "{drawn}");
        compared += 1;
        partial += usize::from(!matching.is_empty() && matching.len() < IDENTITIES);
    }
    assert!(
        compared > FILTERS * 9 / 10 && partial > compared / 4,
        "{compared} {partial}"
    );
}
