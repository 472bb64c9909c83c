//! Starting servers of the distribution on free ports.

use std::io::BufRead;

/// Number of attempts to start a server. Another process may take the port before the server does.
const ATTEMPTS: u32 = 5;

/// Repeats an attempt to start a server. Panics if none succeeds, because the test cannot run without it.
pub(super) fn start<T>(program: &str, attempt: impl Fn() -> Option<T>) -> T {
    let server = (0..ATTEMPTS).find_map(|_| attempt());
    server.unwrap_or_else(|| panic!("{program} does not start: run it by hand to see why"))
}

/// Waits for a line that contains `marker`. Returns false if the output ends before.
pub(super) fn says(output: &mut impl BufRead, marker: &str) -> bool {
    let mut line = String::new();
    while output.read_line(&mut line).unwrap() > 0 {
        if line.contains(marker) {
            return true;
        }
        line.clear();
    }
    false
}
