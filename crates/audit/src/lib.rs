//! The contradictions in anybody's load-test results: text in, findings out.
//!
//! Published results (a tool's output, a saved run of our own, or the figures of a written report in `audit.toml`) are
//! read into one neutral shape, [`Results`]; the rules go over it and say what cannot be true, what does not follow and
//! what is doubtful, each with its arithmetic. What could not be checked for lack of figures is listed too, so that
//! silence is not praise.
//!
//! The crate reads no clock, file, socket or environment variable, and it never guesses a figure that is not there: a
//! bound holds for every data set that could have led to the published figures.

mod assess;
mod bounds;
mod claim;
mod figure;
mod finding;
mod form;
mod import;
mod look_up;
mod measure;
mod number;
mod reach;
mod render;
mod results;
mod rules;

pub use assess::{Audit, Desk, Rule, Unchecked, audit};
pub use bounds::{Bounds, mean_bounds, ranks_of};
pub use claim::{Claim, Kind, Side, Span};
pub use figure::Figure;
pub use finding::{Finding, Severity};
pub use form::{NEW_FORM, read_form};
pub use import::{ImportError, Text, by_lines, read, read_files};
pub use render::{json, markdown, terminal};
pub use results::{Counts, Level, Loop, Method, Results, Row, Times};
pub use rules::RULES;
