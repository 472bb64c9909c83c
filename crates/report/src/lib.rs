//! From a saved run to text for people: the terminal, Markdown, and the line that is shown while a run is on.
//!
//! Pure functions of a [`record::Run`]: rendering a saved run again gives the same text as the run itself did.
//! The crate reads no clock, file, socket or environment variable and does not ask what a terminal can do; colour is
//! a parameter. It prints nothing that was not measured, and never a zero in its place.

mod colour;
mod deliveries;
mod format;
mod markdown;
mod progress;
mod section;
mod table;
mod terminal;
mod words;

pub use markdown::markdown;
pub use progress::{Live, live_line};
pub use section::inconclusive::forecast_line;
pub use terminal::{Terminal, terminal};
pub use words::{finding_sentence, invalid_because};
