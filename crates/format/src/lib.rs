//! Formats numbers, tables and names for people: for a terminal, as Markdown and as HTML.
//!
//! Everything that prints figures uses this crate: the report of a run, the studies, the audit and the self-test.
//! Figures therefore have the same format everywhere.

mod colour;
mod number;
mod table;
mod text;

pub use colour::{Tone, paint};
pub use number::{
    NOT_AVAILABLE, about, amount, bytes, count, duration, estimate, estimate_in_full, fixed,
    mean_bytes, megabytes, millis, number, part, percent, percentile, plural, precise, rate,
    rate_of, seconds, set_number, set_rate, share, span, whole,
};
pub use table::{Column, Row, Table};
pub use text::{code, escape, escape_html, shorten, shorten_name, visible, wrap};
