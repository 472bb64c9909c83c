//! Statistics: histograms, percentiles with confidence intervals, rates, and time series.
//!
//! Every statistic that headcount reports comes from this crate. The crate refuses figures that the samples do not
//! support: a percentile without ten samples beyond it is [`Estimate::Unavailable`], never a guess. The crate reads no
//! clock, file, socket or environment variable.

mod binomial;
mod bins;
mod blocks;
mod censored;
mod codec;
mod counts;
mod design;
mod difference;
mod estimate;
mod growth;
mod heat_map;
mod histogram;
mod long_run;
mod pass_rate;
mod quantile;
mod rate;
mod series;
mod share_test;
mod student;
mod usl;
mod values;

pub use blocks::{BLOCKS, BlockWriter, Blocks, SHORTEST_BLOCK};
pub use censored::{Samples, Shares, estimate, estimate_in_blocks};
pub use codec::DecodeError;
pub use difference::{
    Difference, FEWEST_RUNS, RunsNeeded, SIGNIFICANCE, after_history, benjamini_hochberg, holm,
    interleaved, one_after_the_other,
};
pub use estimate::Estimate;
pub use growth::{Growth, LOOKS_FOR_STEADY, growth};
pub use heat_map::{HeatColumn, HeatMap};
pub use histogram::Histogram;
pub use pass_rate::{clopper_pearson, fisher};
pub use quantile::{Percentile, REPORTED, SAMPLES_BEYOND, interval_ranks, needed_samples, rank_of};
pub use rate::{wilson, zero_failures_bound};
pub use series::Series;
pub use share_test::{ShareTest, least_trials, test_share, trials_to_decide};
pub use usl::{Parameter, UslFit, fit_usl};
pub use values::Values;
