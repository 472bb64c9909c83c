//! Renders a saved run for people: for the terminal, as Markdown, as a page of HTML, and as the live line and the live
//! page during a run.
//!
//! The page is part of this crate because it shows the same sections and sentences as the other two. Its script and
//! style are in `page/`.
//!
//! All functions are pure functions of a [`record::Run`], so a loaded run renders to the same text as the original.
//!
//! The crate reads no clock, file, socket or environment variable, and does not detect what a terminal supports: colour
//! is a parameter. It omits figures that were not measured, and never prints 0 in their place.

mod comparison;
mod deliveries;
mod export;
mod html;
mod live;
mod markdown;
mod progress;
mod search;
mod section;
mod sections;
mod terminal;
mod words;

pub use comparison::{Compared, comparison, comparison_markdown, not_comparable};
pub use export::{badge, csv, csv_series, junit};
pub use html::{html, html_after, html_of_markdown};
pub use live::{LiveEnd, LiveLevel, LiveRun, LiveSecond};
pub use markdown::markdown;
pub use progress::{Live, live_line, one_row};
pub use search::{SearchState, ceiling_map, search_result, search_state, search_trial};
pub use section::inconclusive::forecast_line;
pub use section::verdict::invalid_event;
pub use terminal::{Terminal, terminal};
pub use words::{
    finding_evidence, finding_sentence, invalid_because, issue_sentence, note as note_line,
};
