use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use model::{Fault, FaultKind, without_credentials};
use rustc_hash::FxHashMap;
use url::Url;
use wire::{Endpoint, Loopback, Source, Stream, TlsSettings};

use super::socket::{ServerUrl, Transport};

/// Maximum number of parsed URLs that are cached. Further URLs are parsed each time.
const URLS_KEPT: usize = 4096;
/// Maximum number of endpoints. A target that redirects every request to another server would otherwise use more and more
/// memory.
const ENDPOINTS_LIMIT: usize = 65_536;

/// Index of an endpoint in [`Connector`].
pub(crate) type EndpointIndex = usize;

/// A parsed URL of the script, with its endpoint.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub(crate) url: Arc<Url>,
    pub(crate) endpoint: EndpointIndex,
    /// The encoded GET request for this URL, with no headers except those of the run.
    pub(crate) get: Option<Arc<[u8]>>,
}

/// Turns a URL of the script into an open socket: parsing, name resolution, safety checks, TLS, source addresses.
#[derive(Debug)]
pub(crate) struct Connector {
    target: Url,
    allow_any: bool,
    tls: TlsSettings,
    urls: FxHashMap<String, Located>,
    endpoints: Vec<(Endpoint, Option<Result<SocketAddr, Fault>>)>,
    /// The indexes of the endpoints.
    indexes: FxHashMap<Endpoint, EndpointIndex>,
    /// Chooses source addresses for connections whose source address is not configured.
    loopback: Loopback,
}

macro_rules! define_servers {
    ($($name:ident: $wire:ty => $($handler:ident)::+,)*) => {
        /// Servers that are not reached over HTTP.
        const SERVERS: &[Option<ServerUrl>] = &[$(<$wire as Transport>::SERVER,)*];
    };
}
with_protocols!(define_servers);

impl Connector {
    pub(crate) fn new(target: Url, allow_any: bool, tls: TlsSettings) -> Self {
        Self {
            target,
            allow_any,
            tls,
            urls: FxHashMap::default(),
            endpoints: Vec::new(),
            indexes: FxHashMap::default(),
            loopback: Loopback::default(),
        }
    }

    pub(crate) fn target(&self) -> &Url {
        &self.target
    }

    /// Parses a URL of HTTP or of a WebSocket, absolute or relative to the target, and finds its endpoint.
    pub(crate) fn locate(&mut self, url: &str) -> Result<Located, Fault> {
        if let Some(known) = self.urls.get(url) {
            return Ok(known.clone());
        }
        let parsed = self.join(url)?;
        let mut servers = SERVERS.iter().flatten();
        if let Some(ServerUrl { server, call, .. }) =
            servers.find(|server| server.schemes.contains(&parsed.scheme()))
        {
            let shown = without_credentials(parsed.as_str());
            let detail = format!(
                "`{shown}` is the URL of a {server} server: connect with `{call}`, or write the URL with `http://`"
            );
            return Err(Fault::script(FaultKind::Protocol, detail));
        }
        let found = self.endpoint_of(&parsed)?;
        let entry = Located {
            url: Arc::new(parsed),
            endpoint: found,
            get: None,
        };
        if self.urls.len() < URLS_KEPT {
            self.urls.insert(url.to_owned(), entry.clone());
        }
        Ok(entry)
    }

    /// Parses a URL that is absolute or relative to the target.
    pub(crate) fn join(&self, url: &str) -> Result<Url, Fault> {
        let unfit =
            |why| Fault::script(FaultKind::Protocol, format!("`{url}` is not a URL: {why}"));
        self.target.join(url).map_err(unfit)
    }

    /// The settings for TLS with an endpoint, and the name that its certificate must have.
    pub(crate) fn tls_of(&self, index: EndpointIndex) -> (&TlsSettings, &str) {
        (&self.tls, &self.endpoints[index].0.host)
    }

    /// Caches the encoded GET request for this URL, with no headers except those of the run.
    pub(crate) fn remember_get(&mut self, url: &str, encoded: &[u8]) {
        if let Some(known) = self.urls.get_mut(url) {
            known.get = Some(encoded.into());
        }
    }

    pub(crate) fn endpoint_of(&mut self, url: &Url) -> Result<EndpointIndex, Fault> {
        let endpoint = Endpoint::try_from(url)?;
        if let Some(known) = self.indexes.get(&endpoint) {
            return Ok(*known);
        }
        let index = self.endpoints.len();
        if index == ENDPOINTS_LIMIT {
            let detail =
                format!("a worker contacts at most {ENDPOINTS_LIMIT} different servers in a run");
            return Err(Fault::generator(FaultKind::Resources, detail));
        }
        self.indexes.insert(endpoint.clone(), index);
        self.endpoints.push((endpoint, None));
        Ok(index)
    }

    /// The name under which connections to an endpoint are measured.
    pub(crate) fn label(&self, index: EndpointIndex) -> String {
        let Endpoint { host, port, tls } = &self.endpoints[index].0;
        let scheme = if *tls { "https" } else { "http" };
        format!("{scheme}://{host}:{port}")
    }

    /// Starts to connect, for HTTP/1.1 or a WebSocket. The host name is resolved at the first use, and the result is
    /// cached.
    pub(crate) fn connect(
        &mut self,
        index: EndpointIndex,
        source: Option<IpAddr>,
    ) -> Result<Stream, Fault> {
        let tls = self.tls.clone();
        self.connect_with(&tls, index, source)
    }

    /// Like [`Connector::connect`], for HTTP/2.
    pub(crate) fn connect_http2(
        &mut self,
        index: EndpointIndex,
        source: Option<IpAddr>,
    ) -> Result<Stream, Fault> {
        let tls = self.tls.offering_http2();
        self.connect_with(&tls, index, source)
    }

    fn connect_with(
        &mut self,
        tls: &TlsSettings,
        index: EndpointIndex,
        source: Option<IpAddr>,
    ) -> Result<Stream, Fault> {
        let (endpoint, address) = &mut self.endpoints[index];
        let given = Endpoint::try_from(&self.target);
        let trust = match (self.allow_any, given) {
            (false, _) => Trust::Private,
            (true, Ok(given)) if given == *endpoint => Trust::Named,
            (true, _) => Trust::Mine,
        };
        let address = address
            .get_or_insert_with(|| address_of(endpoint, trust))
            .clone()?;
        let tls = endpoint.tls.then_some((tls, endpoint.host.as_str()));
        let source = source.map_or(Source::Spread(&mut self.loopback), Source::Given);
        Stream::connect_from(address, source, tls)
    }
}

/// The addresses that an endpoint may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Addresses of this machine or of private networks.
    Private,
    /// Any address except those that serve cloud credentials. The user states that the target is theirs.
    Mine,
    /// Any address. The user states that the target is theirs, and specified the address itself.
    Named,
}

/// Resolves an endpoint, and refuses addresses that must not be load-tested.
pub(crate) fn address_of(endpoint: &Endpoint, trust: Trust) -> Result<SocketAddr, Fault> {
    let addresses = wire::resolve(endpoint)?;
    // Most servers that listen on only one address family use IPv4.
    let address = addresses
        .iter()
        .find(|address| address.is_ipv4())
        .or(addresses.first())
        .copied();
    let address = address.ok_or_else(|| {
        Fault::target(
            FaultKind::Resolve,
            format!("{} has no address", endpoint.host),
        )
    })?;
    let ip = address.ip();
    let delicate = wire::may_hold_credentials(ip);
    if wire::is_allowed(ip) || trust == Trust::Named || trust == Trust::Mine && !delicate {
        return Ok(address);
    }
    let where_it_lies = where_it_lies(&endpoint.host, ip);
    let detail = if delicate {
        format!(
            "{where_it_lies} serves cloud credentials: headcount connects to it only if it is the target and \
             --target-is-mine is given"
        )
    } else {
        format!(
            "{where_it_lies} is neither this machine nor in a private network; if it is yours, \
             add --target-is-mine"
        )
    };
    Err(Fault::script(FaultKind::NotAllowed, detail))
}

/// The host and its address, or only the address if the host is given as an address.
fn where_it_lies(host: &str, address: IpAddr) -> String {
    let address = address.to_string();
    if host == address {
        address
    } else {
        format!("{host} ({address})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_limited_and_known_ones_stay() {
        let target = Url::parse("http://127.0.0.1/").unwrap();
        let tls = TlsSettings::new(true, None).unwrap();
        let mut connector = Connector::new(target, false, tls);
        let url = |n: usize| {
            let url = format!("http://127.{}.{}.{}/x", n >> 16, (n >> 8) & 255, n & 255);
            Url::parse(&url).unwrap()
        };
        for n in 0..ENDPOINTS_LIMIT {
            assert_eq!(connector.endpoint_of(&url(n)).unwrap(), n);
        }
        let refused = connector.endpoint_of(&url(ENDPOINTS_LIMIT)).unwrap_err();
        assert_eq!(refused.kind, FaultKind::Resources);
        assert_eq!(connector.endpoint_of(&url(7)).unwrap(), 7);
    }
}
