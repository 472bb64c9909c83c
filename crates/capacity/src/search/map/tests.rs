use super::super::{Answer, Ceiling, Ended, Interval, Production, Quantity, Search, Settings};
use super::*;

fn settings() -> Settings {
    Settings {
        first: 1.0,
        least: 1.0,
        most: 1e6,
        whole: true,
        precision: 0.05,
        budget_s: 60.0,
        extended_s: 0.0,
        limit_s: 0.05,
        lead_s: 0.0,
        ramp_s: 0.0,
    }
}

/// A search that found this number of groups, within 5 %.
fn found(group_size: u64, groups: f64) -> SizedSearch {
    let stable = Ceiling {
        load: groups,
        interval: Interval {
            low: groups * 0.95,
            high: groups * 1.05,
        },
        repetitions: 4,
    };
    SizedSearch {
        group_size,
        search: SavedSearch {
            kind: SavedSearch::KIND.to_owned(),
            version: SavedSearch::VERSION,
            tool: String::new(),
            started_at: String::new(),
            ended_at: String::new(),
            scenario: String::new(),
            target: String::new(),
            seed: 1,
            quantity: Quantity::Groups,
            group_size: 1,
            production: Production::default(),
            thresholds: Vec::new(),
            default_thresholds: false,
            settings: settings(),
            answer: Answer {
                ended: Ended::Confirmed,
                stable: Some(stable),
                ..Search::new(settings()).so_far(Ended::Interrupted)
            },
            findings: Vec::new(),
            scalability: None,
            trials: Vec::new(),
        },
    }
}

fn slopes(searches: Vec<SizedSearch>) -> Vec<(u64, u64, Option<Dominates>)> {
    let map = CeilingMap {
        kind: CeilingMap::KIND.to_owned(),
        version: CeilingMap::VERSION,
        searches,
    };
    let slopes = map.slopes().into_iter();
    slopes
        .map(|slope| (slope.from, slope.to, slope.dominates))
        .collect()
}

/// The groups that a target holds which needs this much time per second for a group of this size.
fn groups(size: u64, cost: impl Fn(f64) -> f64) -> SizedSearch {
    found(size, (1.0 / cost(size as f64)).floor())
}

#[test]
fn a_constant_cost_per_user_is_told_from_one_per_delivery_and_more() {
    use Dominates::{Deliveries, MoreThanDeliveries, Users};
    let per_user = |size: f64| size * 1e-5;
    let per_delivery = |size: f64| size * (size - 1.0) * 1e-6;
    let quadratic = |size: f64| size * (size - 1.0) * (size - 1.0) * 1e-7;
    assert_eq!(
        slopes(vec![groups(5, per_user), groups(50, per_user)]),
        [(5, 50, Some(Users))]
    );
    assert_eq!(
        slopes(vec![groups(5, per_delivery), groups(50, per_delivery)]),
        [(5, 50, Some(Deliveries))]
    );
    assert_eq!(
        slopes(vec![groups(5, quadratic), groups(50, quadratic)]),
        [(5, 50, Some(MoreThanDeliveries))]
    );
}

#[test]
fn fan_out_takes_over_where_groups_are_large() {
    use Dominates::{Deliveries, Users};
    // 1 ms per user and second, and 10 µs per delivery.
    let both = |size: f64| size * 1e-3 + size * (size - 1.0) * 1e-5;
    let sizes = [2, 5, 500, 5000].map(|size| found(size, 1e3 / both(size as f64)));
    assert_eq!(
        slopes(sizes.to_vec()),
        [
            (2, 5, Some(Users)),
            (5, 500, Some(Users)),
            (500, 5000, Some(Deliveries))
        ]
    );
}

#[test]
fn wide_intervals_leave_the_answer_open() {
    let mut wide = found(10, 40.0);
    if let Some(stable) = &mut wide.search.answer.stable {
        stable.interval = Interval {
            low: 10.0,
            high: 90.0,
        };
    }
    assert_eq!(slopes(vec![found(5, 100.0), wide]), [(5, 10, None)]);
}

#[test]
fn groups_of_one_and_searches_without_a_ceiling_are_not_compared() {
    let mut open = found(10, 40.0);
    open.search.answer.stable = None;
    assert_eq!(slopes(vec![found(1, 100.0), found(5, 100.0), open]), []);
}
