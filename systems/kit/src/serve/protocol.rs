use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::TokioTimer;

/// Time limit for reading a request head.
const HEAD_LIMIT: Duration = Duration::from_secs(30);
/// Maximum size of a request head in bytes. A larger one is refused.
const LARGEST_HEAD: usize = 64 * 1024;

/// The HTTP/1.1 settings, with limits on time and size.
pub(super) fn protocol() -> http1::Builder {
    let mut protocol = http1::Builder::new();
    protocol
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_LIMIT)
        .max_buf_size(LARGEST_HEAD)
        .pipeline_flush(true);
    protocol
}
