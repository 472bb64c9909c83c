use std::io;
use std::net::{SocketAddr, TcpListener};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use kit::serve::stop_signal;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::config::Config;
use crate::event_loop::EventLoop;
use crate::waker::Waker;

/// A handle of a server that runs in the background. Dropping the handle does not stop the server.
#[derive(Debug)]
pub struct Running {
    address: SocketAddr,
    waker: Waker,
    thread: JoinHandle<io::Result<()>>,
}

impl Running {
    /// The address on which the server listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Finishes open requests within the configured time limit, and stops the server.
    pub fn stop(self) -> io::Result<()> {
        self.waker.stop();
        self.thread
            .join()
            .map_err(|_| io::Error::other("the thread of the truth server panicked"))?
    }
}

/// Starts the server on its own thread, `truth-io`.
pub fn start(config: &Config) -> io::Result<Running> {
    if let Some(most) = config.descriptors {
        limit_descriptors(most)?;
    }
    let at = config.listen;
    let cannot =
        |error: io::Error| io::Error::new(error.kind(), format!("cannot listen on {at}: {error}"));
    let door = TcpListener::bind(at).map_err(cannot)?;
    door.set_nonblocking(true)?;
    // A second `listen` sets the configured queue length.
    rustix::net::listen(&door, config.backlog.into())?;
    let address = door.local_addr()?;
    let waker = Waker::new()?;
    let event_loop = EventLoop::new(door, waker.clone(), config.limits, &config.lie)?;
    let nanos = |span: Duration| u64::try_from(span.as_nanos()).unwrap_or(u64::MAX);
    let (stop_limit, spin) = (nanos(config.stop_limit), nanos(config.spin));
    let thread = Builder::new()
        .name("truth-io".to_owned())
        .spawn(move || event_loop.run(stop_limit, spin))?;
    Ok(Running {
        address,
        waker,
        thread,
    })
}

/// Lowers the limit of open descriptors of this process.
fn limit_descriptors(most: u64) -> io::Result<()> {
    let limit = Rlimit {
        current: Some(most),
        ..getrlimit(Resource::Nofile)
    };
    Ok(setrlimit(Resource::Nofile, limit)?)
}

/// Runs the server until SIGTERM or SIGINT. Calls `announce` with the address once the server listens.
pub fn serve(config: &Config, announce: impl FnOnce(&str) -> io::Result<()>) -> io::Result<()> {
    kit::serve::start(&config.log, 1, async {
        let stop = stop_signal()?;
        let running = start(config)?;
        announce(&format!("http://{}", running.address()))?;
        stop.await;
        running.stop()
    })?
}
