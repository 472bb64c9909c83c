//! Starts the workers of a process, after a check that they can reach the target.

use std::sync::Arc;

use model::Fault;
use wire::TlsSettings;

use crate::ask;
use crate::clock::Clock;
use crate::config::RunConfig;
use crate::net::http2::check_agreed;
use crate::outcome::RunError;
use crate::threads::Threads;

/// The TLS settings of the run.
pub(crate) fn tls_of(config: &RunConfig) -> Result<TlsSettings, RunError> {
    let settings = config.certificates.settings(config.options.insecure);
    settings.map_err(|fault| RunError::Usage(fault.to_string()))
}

/// Starts the worker threads of this process, if the target can be reached.
pub(crate) fn start_threads(
    config: &Arc<RunConfig>,
    tls: &TlsSettings,
    clock: Clock,
) -> Result<Threads, RunError> {
    let offered = config.program.tls_of_requests(tls.clone());
    ask::preflight(&config.target, config.target_is_mine, &offered, clock)
        .and_then(|stream| {
            if config.program.is_http2() {
                check_agreed(&stream)
            } else {
                Ok(())
            }
        })
        .map_err(|fault| unreachable(&config.target_as_written(), fault))?;
    Threads::start(config, clock, tls)
        .map_err(|why| RunError::Generator(format!("cannot start the worker threads: {why}")))
}

fn unreachable(target: &str, fault: Fault) -> RunError {
    RunError::Unreachable {
        target: target.to_owned(),
        fault,
    }
}
