use std::process;

/// The name of this run among others that send metrics to the same server: the machine and the process.
pub(super) fn instance() -> String {
    let machine = rustix::system::uname();
    format!("{}:{}", machine.nodename().to_string_lossy(), process::id())
}
