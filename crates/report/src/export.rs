//! Renders a run for other programs: JUnit XML for CI systems, CSV for spreadsheets.
//!
//! A figure that was not measured is an empty cell, never 0. Times are in milliseconds.

mod csv;
mod junit;

pub use csv::{csv, csv_series};
pub use junit::junit;
