//! Prints the page of a made-up run of the tests: `cargo run -p report --example page one-hour > report.html`.

#![allow(
    dead_code,
    reason = "the records are those of the tests, which use more of them"
)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "an example for benchmarks and screenshots"
)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/page/kinds.rs"]
mod kinds;

use common::runs;

fn main() -> Result<(), &'static str> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let run = match name.as_str() {
        "healthy" => kinds::over_time(runs::healthy()),
        "losses" => kinds::over_time(runs::with_losses()),
        "one-hour" => kinds::one_hour(),
        "ten-hours" => kinds::ten_hours(),
        _ => return Err("name a run: healthy, losses, one-hour or ten-hours"),
    };
    print!("{}", report::html(&run));
    Ok(())
}
