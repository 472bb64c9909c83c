//! Determines the key by which a limiter counts: the user, the source address, or none (all requests together).

use record::{Evidence, LimitKey as Key, Limited, Spread};

use super::seen::Seen;
use super::shape::Shape;

const EACH: [Key; 3] = [Key::All, Key::Address, Key::User];

/// The keys that fit the figures, and the evidence against the others.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    pub(crate) left: Vec<Key>,
    pub(crate) evidence: Vec<Evidence>,
}

impl Keys {
    fn keep(&mut self, fits: impl Fn(Key) -> bool, why: Evidence) {
        let kept: Vec<Key> = self.left.iter().copied().filter(|key| fits(*key)).collect();
        // Evidence excludes some of the keys, but not all of them.
        if !kept.is_empty() && kept.len() < self.left.len() {
            self.left = kept;
            self.evidence.push(why);
        }
    }
}

/// The number of budgets that a limiter with this key has: one in total, or one per address or user.
pub(crate) fn number_of(key: Key, seen: &Seen<'_>) -> f64 {
    let number = match key {
        Key::All => 1,
        Key::Address => seen.addresses,
        Key::User => seen.users,
    };
    number.max(1) as f64
}

/// The keys by which the limiter of this level may count. `stated` is the limit from its response headers. `others` are
/// the other levels.
pub(crate) fn keys_of(seen: &Seen<'_>, stated: Option<f64>, others: &[&Seen<'_>]) -> Keys {
    let mut keys = Keys {
        left: EACH.to_vec(),
        evidence: Vec::new(),
    };
    if seen.limited.stated.iter().any(|stated| stated.partitioned) {
        keys.keep(|key| key != Key::All, Evidence::PartitionNamed);
    }
    by_the_limit(&mut keys, seen, stated);
    by_the_users(&mut keys, seen);
    by_the_addresses(&mut keys, seen);
    for other in others {
        by_another_level(&mut keys, seen, other);
    }
    keys
}

/// In each window, the stated number of requests passes for every key. The number of passed requests therefore shows
/// the number of keys.
fn by_the_limit(keys: &mut Keys, seen: &Seen<'_>, stated: Option<f64>) {
    let Some((passed, limit)) = seen.per_window.zip(stated) else {
        return;
    };
    let times = passed / limit;
    let fits = |key: Key| {
        let number = number_of(key, seen);
        (times - number).abs() <= (number * 0.1).max(2.0 / limit)
    };
    let why = Evidence::FitsStatedLimit {
        passed,
        limit,
        users: seen.users,
        addresses: seen.addresses,
    };
    keys.keep(fits, why);
}

/// Returns `true` if equally many requests passed for every key although keys sent different numbers, and `false` if
/// the passed numbers differ. Returns `None` if neither is clear.
fn alike(passed: &Spread, asked: &Spread, count: u64) -> Option<bool> {
    let (passed, asked) = (passed.variation(count)?, asked.variation(count)?);
    if passed >= 0.15 {
        return Some(false);
    }
    (asked >= 0.1 && passed <= 0.05 && passed <= asked * 0.2).then_some(true)
}

/// Whether equally many requests passed for every user although users sent different numbers. This alone indicates a
/// limiter.
pub(crate) fn is_by_user(limited: &Limited) -> bool {
    let users = &limited.users;
    let enough = users.count >= 5 && users.passed.sum >= 5.0 * users.count as f64;
    enough && alike(&users.passed, &users.asked, users.count) == Some(true)
}

/// Whether earlier levels or `setup` may have used part of the keys' budgets. If so, unequal numbers are not evidence.
/// Repeating windows rule this out, because each one renews every budget.
fn is_rest(seen: &Seen<'_>) -> bool {
    let renewed = matches!(
        seen.shape,
        Some(Shape::Periodic { .. } | Shape::Steady { .. })
    );
    !seen.fresh && !renewed
}

fn by_the_users(keys: &mut Keys, seen: &Seen<'_>) {
    let users = &seen.limited.users;
    if users.count < 3 {
        return;
    }
    let (least, most) = (users.passed.least, users.passed.most);
    match alike(&users.passed, &users.asked, users.count) {
        Some(true) => keys.keep(
            |key| key == Key::User,
            Evidence::PassedAlike {
                per: Key::User,
                least,
                most,
            },
        ),
        Some(false) if !is_rest(seen) => keys.keep(
            |key| key != Key::User,
            Evidence::PassedUnequally {
                per: Key::User,
                least,
                most,
            },
        ),
        _ => {}
    }
}

fn by_the_addresses(keys: &mut Keys, seen: &Seen<'_>) {
    let mut each = record::PerKey::default();
    for address in seen
        .limited
        .addresses
        .iter()
        .filter(|address| address.limited > 0)
    {
        each.add(address.passed, address.limited);
    }
    if each.count < 2 {
        return;
    }
    let (least, most) = (each.passed.least, each.passed.most);
    match alike(&each.passed, &each.asked, each.count) {
        Some(true) => keys.keep(
            |key| key == Key::Address,
            Evidence::PassedAlike {
                per: Key::Address,
                least,
                most,
            },
        ),
        Some(false) if !is_rest(seen) => keys.keep(
            |key| key != Key::Address,
            Evidence::PassedUnequally {
                per: Key::Address,
                least,
                most,
            },
        ),
        _ => {}
    }
}

/// Compares two levels. A key fits if the rate of passed requests grows in proportion to the number of budgets.
fn by_another_level(keys: &mut Keys, seen: &Seen<'_>, other: &Seen<'_>) {
    let (Some(here), Some(there)) = (seen.flow, other.flow) else {
        return;
    };
    let times = there / here;
    let expected = |key: Key| number_of(key, other) / number_of(key, seen);
    let fits = |key: Key| (times / expected(key) - 1.0).abs() <= 0.15;
    let differ = EACH
        .iter()
        .any(|&key| !(0.67..1.5).contains(&expected(key)));
    if differ {
        let why = Evidence::OtherLevel {
            users: other.users,
            than_users: seen.users,
            times,
        };
        keys.keep(fits, why);
    }
}
