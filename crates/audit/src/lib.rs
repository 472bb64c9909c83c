//! Finds contradictions in the load-test results of any tool: text in, findings out.
//!
//! The input is a tool's output, a run of headcount, or the figures of a written report in `audit.toml`. All inputs are
//! converted to one neutral format, [`Results`]. The rules report figures that cannot be true, claims that do not
//! follow from the figures, and claims that are doubtful, each with the arithmetic. The audit also lists checks that
//! lacked figures, because a report with few figures would otherwise look flawless.
//!
//! The crate reads no clock, file, socket or environment variable. It never guesses a missing figure: a bound holds for
//! every data set that could have produced the published figures.

mod assess;
mod bounds;
mod claim;
mod figure;
mod finding;
mod form;
mod import;
mod import_error;
mod look_up;
mod measure;
mod number;
mod reach;
mod render;
mod results;
mod rule;
mod rules;

pub use assess::{Audit, audit};
pub use bounds::{Bounds, mean_bounds, ranks_of};
pub use claim::{Claim, Kind, Side, Span};
pub use figure::Figure;
pub use finding::{Finding, Severity};
pub use form::{NEW_FORM, read_form};
pub use import::{Text, by_lines, read, read_files};
pub use import_error::ImportError;
pub use render::{brief, json, markdown, terminal};
pub use results::{Counts, Level, Loop, Method, Results, Row, Times};
pub use rule::{Desk, Needs, Rule, Unchecked};
pub use rules::RULES;
