//! More true reports whose figures or words look contradictory, each with a false report that hardly differs. The true
//! one is never called impossible, and the false one is found.

#[path = "common/judged.rs"]
mod judged;

use judged::{impossible, possible, unsupported};

#[test]
fn a_line_with_an_offset_is_linear() {
    let level = |users: u32, p50: u32| {
        format!(
            "[[level]]\nname = \"{users}\"\nusers = {users}\np50 = \"{p50}.0ms\"\nrate = {}.0\n",
            users * 10
        )
    };
    let claim = "[[claim]]\nkind = \"linear\"\ntext = \"t\"\nof = \"p50\"\nlevels = [\"10\", \"20\", \"40\"]\n";
    // 50 ms, plus 1 ms for each user.
    possible(&(level(10, 60) + &level(20, 70) + &level(40, 90) + claim));
    impossible(
        &(level(10, 60) + &level(20, 70) + &level(40, 200) + claim),
        "scaling",
    );
    impossible(
        &(level(10, 60) + &level(20, 60) + &level(40, 55) + claim),
        "scaling",
    );
}

#[test]
fn sub_linear_growth_is_judged_from_its_first_to_its_last_level() {
    let level = |users: u32, p50: u32| {
        format!("[[level]]\nname = \"{users}\"\nusers = {users}\np50 = \"{p50}.0ms\"\n")
    };
    let claim = "[[claim]]\nkind = \"sub-linear\"\ntext = \"t\"\nof = \"p50\"\nlevels = [\"10\", \"20\", \"40\"]\n";
    possible(&(level(10, 100) + &level(20, 110) + &level(40, 230) + claim));
    impossible(
        &(level(10, 100) + &level(20, 250) + &level(40, 520) + claim),
        "scaling",
    );
}

#[test]
fn words_about_different_systems_do_not_contradict_each_other() {
    let level = |name: &str, version: u32| {
        format!(
            "[[level]]\nname = \"{name}\"\nusers = 20\nconditions = {{ version = \"{version}\" }}\n"
        )
    };
    let levels = level("old", 1) + &level("new", 2);
    let claim = |kind: &str, users: u32, more: &str| {
        format!("[[claim]]\nkind = \"{kind}\"\ntext = \"t\"\nusers = {users}\n{more}\n")
    };
    let both = |one: &str, other: &str| {
        format!(
            "{levels}{}{}",
            claim("saturated", 10, one),
            claim("within-capacity", 20, other)
        )
    };
    possible(&both(
        "conditions = { version = \"1\" }",
        "conditions = { version = \"2\" }",
    ));
    possible(&both("levels = \"old\"", "levels = \"new\""));
    impossible(
        &both("levels = \"old\"", "levels = \"old\""),
        "within-capacity",
    );
    unsupported(&both("", ""), "within-capacity");
}

#[test]
fn whole_numbers_with_zeros_at_their_end_may_be_rounded() {
    // The same time may be 1,234 ms: two significant digits give 1,200 ms, three give 1.23 s.
    possible("[[level]]\nname = \"a\"\np95 = \"1.23s\"\nmax = \"1200ms\"\n");
    impossible(
        "[[level]]\nname = \"a\"\np95 = \"1.43s\"\nmax = \"1200ms\"\n",
        "not-ascending",
    );
    impossible(
        "[[level]]\nname = \"a\"\np95 = \"1.23s\"\nmax = \"1151ms\"\n",
        "not-ascending",
    );
}

#[test]
fn a_percentile_within_its_bucket_may_be_beyond_the_longest() {
    let level = |max: &str| {
        format!(
            "bucket_edges = [\"10ms\", \"50ms\", \"100ms\"]\n[[level]]\nname = \"a\"\nmin = \"12ms\"\np10 = \"11ms\"\np99 = \"100ms\"\nmax = \"{max}\"\n"
        )
    };
    possible(&level("67ms"));
    impossible(&level("43ms"), "not-ascending");
}

#[test]
fn messages_on_their_way_before_the_counting_are_received_in_it() {
    let level = |received: &str| {
        format!(
            "[[level]]\nname = \"a\"\nduration = \"10s\"\ncount = \"~1.2k\"\nreceived = \"{received}\"\nfan_out = 9\nmax = \"900ms\"\n"
        )
    };
    possible(&level("~12,000"));
    impossible(&level("~15,000"), "fan-out");
}
