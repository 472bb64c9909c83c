/// A scheme of the URLs of a protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scheme {
    pub(crate) name: &'static str,
    /// The port of a URL without one.
    pub(crate) port: u16,
    /// Whether connections use TLS from the first byte.
    pub(crate) tls: bool,
}

impl Scheme {
    pub(crate) const fn new(name: &'static str, port: u16, tls: bool) -> Self {
        Self { name, port, tls }
    }
}
