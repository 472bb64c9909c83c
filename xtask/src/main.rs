//! The command `cargo run -p xtask -- tidy [--bless]`.

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo run -p xtask -- tidy [--bless]

  tidy           check the repository; each complaint includes the remedy
  tidy --bless   lower the numbers in xtask/ratchet.txt to the current sizes, then check";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let bless = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => false,
        ["tidy", "--bless"] => true,
        _ => return usage(),
    };
    match run(bless) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            complain(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Prints all complaints. Returns the number of complaints.
fn run(bless: bool) -> Result<usize, xtask::OpenError> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if bless {
        xtask::bless(&xtask::Repository::open(&root)?)?;
    }
    let repository = xtask::Repository::open(&root)?;
    let complaints = xtask::tidy(&repository);
    for complaint in &complaints {
        complain(&complaint.to_string());
    }
    complain(&match complaints.len() {
        0 => format!("tidy: {} files, no complaints", repository.files.len()),
        count => format!("tidy: {count} complaints"),
    });
    Ok(complaints.len())
}

fn usage() -> ExitCode {
    complain(USAGE);
    ExitCode::from(2)
}

#[expect(clippy::print_stderr, reason = "the only place where tidy prints")]
fn complain(text: &str) {
    eprintln!("{text}");
}
