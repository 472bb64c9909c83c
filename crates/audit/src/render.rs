//! Formats the result of an audit as text.

mod json;
mod markdown;
mod terminal;
mod words;

pub use json::json;
pub use markdown::markdown;
pub use terminal::{brief, terminal};
