use std::sync::Arc;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use tokio::time::{Instant, interval};

use super::table::Sessions;
use crate::limits::Times;

/// Ends idle sessions, at the configured interval.
pub(crate) async fn sweep(sessions: Arc<Sessions>, times: Times, expired: Counter) {
    let seconds = Duration::from_secs_f64;
    let (idle, start) = (seconds(times.idle_timeout), seconds(times.start_timeout));
    let mut ticks = interval(seconds(times.cleanup_interval));
    loop {
        ticks.tick().await;
        let ended = sessions.sweep(idle, start, Instant::now());
        expired.inc_by(ended as u64);
        if ended > 0 {
            tracing::info!(ended, "idle sessions ended");
        }
    }
}
