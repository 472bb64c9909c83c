//! The rules, one per file. The first lines of each file explain its arithmetic and name the source.

mod better;
mod cause;
mod change;
mod cliff;
mod concurrent;
mod conditions;
mod confounded;
mod counts;
mod cut;
mod depends;
mod digits;
mod edges;
mod equal;
mod expected;
mod extrapolated;
mod failed;
mod fan_out;
mod few;
mod generator;
mod launches;
mod leftover;
mod little;
mod mean;
mod meets;
mod noise;
mod nothing;
mod offered;
mod order;
mod overhead;
mod peak;
mod people;
mod pooled;
mod rate;
mod real_time;
mod same;
mod saturated;
mod scaling;
mod short;
mod spread;
mod states;
mod success;
mod sum;
mod survivors;
mod timeout;
mod verdict;
mod zero;

use crate::rule::Rule;

/// All rules, in the order in which their findings are listed.
pub const RULES: &[Rule] = &[
    mean::RULE,
    order::RULE,
    spread::RULE,
    counts::RULE,
    success::RULE,
    failed::RULE,
    offered::RULE,
    little::RULE,
    fan_out::RULE,
    rate::RULE,
    sum::RULE,
    states::RULE,
    edges::RULE,
    equal::RULE,
    few::RULE,
    timeout::RULE,
    zero::RULE,
    nothing::RULE,
    cut::RULE,
    short::RULE,
    launches::RULE,
    real_time::RULE,
    leftover::RULE,
    pooled::RULE,
    survivors::RULE,
    generator::RULE,
    digits::RULE,
    scaling::RULE,
    cliff::RULE,
    change::RULE,
    better::RULE,
    same::RULE,
    depends::RULE,
    noise::RULE,
    confounded::RULE,
    conditions::RULE,
    meets::RULE,
    verdict::RULE,
    extrapolated::RULE,
    concurrent::RULE,
    saturated::RULE,
    peak::RULE,
    people::RULE,
    cause::RULE,
    overhead::RULE,
    expected::RULE,
];
