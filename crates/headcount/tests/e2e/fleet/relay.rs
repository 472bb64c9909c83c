//! A network that can be cut: a relay of TCP connections that holds all bytes while it is cut.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Time between two looks at whether the network is whole again.
const LOOK: Duration = Duration::from_millis(10);

/// A relay to a port on this machine.
pub(super) struct Relay {
    port: u16,
    is_cut: Arc<AtomicBool>,
}

impl Relay {
    pub(super) fn to(target: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let is_cut = Arc::new(AtomicBool::new(false));
        let cut = Arc::clone(&is_cut);
        thread::spawn(move || {
            for near in listener.incoming() {
                let (near, far) = (near.unwrap(), TcpStream::connect(("127.0.0.1", target)));
                let Ok(far) = far else { continue };
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let cut = Arc::clone(&cut);
                    thread::spawn(move || pass_on(from, to, &cut));
                }
            }
        });
        Self { port, is_cut }
    }

    /// The URL of the NATS server behind the relay.
    pub(super) fn nats(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub(super) fn cut(&self) {
        self.is_cut.store(true, Ordering::Relaxed);
    }

    pub(super) fn mend(&self) {
        self.is_cut.store(false, Ordering::Relaxed);
    }
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, is_cut: &AtomicBool) {
    let mut buffer = [0; 16_384];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        while is_cut.load(Ordering::Relaxed) {
            thread::sleep(LOOK);
        }
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both); // the other direction ends as well
}
