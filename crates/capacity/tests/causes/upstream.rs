use record::{Cause, Level, TargetUse, Upstream};

use super::levels::{idle, level, with};
use super::only;

/// A level of a target that is nearly idle, with this number of connections to a database.
fn at(per_s: f64, ms: f64, (least, most): (u64, u64)) -> Level {
    let upstream = Upstream {
        address: "10.0.0.7:5432".into(),
        least,
        most,
    };
    let target = TargetUse {
        upstreams: vec![upstream],
        ..idle()
    };
    with(level(per_s, ms), target)
}

/// Four places that take 10 ms each.
fn cause(connections: (u64, u64)) -> Cause {
    cause_of([connections; 4])
}

/// The same with these connections at a load without waiting, at a full load and at two higher loads.
fn cause_of(connections: [(u64, u64); 4]) -> Cause {
    let loads = [(100.0, 10.0), (400.0, 10.0), (400.0, 20.0), (400.0, 40.0)];
    let levels = loads.into_iter().zip(connections);
    only(
        levels
            .map(|((per_s, ms), connections)| at(per_s, ms, connections))
            .collect(),
    )
    .cause
}

#[test]
fn places_that_are_as_many_as_connections_to_a_database_are_its_pool() {
    let Cause::UpstreamPool(pool) = cause((4, 4)) else {
        panic!("no pool")
    };
    assert_eq!(
        (pool.connections, pool.address.as_str()),
        (4, "10.0.0.7:5432")
    );
}

#[test]
fn another_or_a_changing_number_of_connections_does_not_explain_the_places() {
    for connections in [(10, 10), (2, 4), (3, 3)] {
        assert_eq!(
            cause(connections).id(),
            "fixed_concurrency",
            "{connections:?}"
        );
    }
}

#[test]
fn a_number_of_connections_that_changes_in_one_of_the_full_levels_does_not_explain_the_places() {
    let (fixed, changing) = ((4, 4), (2, 4));
    let pool = cause_of([changing, fixed, changing, fixed]);
    assert_eq!(pool.id(), "upstream_pool", "only the full levels count");
    for connections in [
        [fixed, changing, fixed, fixed],
        [fixed, fixed, fixed, changing],
    ] {
        assert_eq!(
            cause_of(connections).id(),
            "fixed_concurrency",
            "{connections:?}"
        );
    }
}
