//! Renders a run for other programs: JUnit XML for CI systems, CSV for spreadsheets, a badge.
//!
//! A figure that was not measured is an empty cell, never 0. Times are in milliseconds.

mod badge;
mod csv;
mod junit;

pub use badge::badge;
pub use csv::{csv, csv_series};
pub use junit::junit;
