use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use clap::Args;
use kit::limit::{Gate, Limits, Ticket};
use kit::network::{Networks, Peer, client};
use tokio::time::Instant;
use tower_http::cors::{AllowHeaders, AllowMethods, CorsLayer};

/// Response headers that pages from other origins may read.
const EXPOSED: [&str; 6] = [
    "ratelimit-policy",
    "ratelimit-limit",
    "ratelimit-remaining",
    "ratelimit-reset",
    "retry-after",
    "idempotency-replayed",
];

/// Access and rate limits.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Access")]
pub struct DoorConfig {
    /// Rate limits per client address, for all operations (`*`) or for one: `*=100/15m,auth.login=10/1m` [default:
    /// `*=6000/1m,auth.login=600/1m,auth.register=60/1m`]
    #[arg(long, value_name = "LIMITS", env = "MARKETPLACE_RATE_LIMITS")]
    rate_limits: Option<Limits>,
    /// Addresses and networks exempt from rate limits, separated by commas
    #[arg(long, value_name = "ADDRESSES", env = "RATE_LIMIT_BYPASS_IPS")]
    rate_limit_bypass_ips: Option<Networks>,
    /// Proxies whose `X-Forwarded-For` header is trusted
    #[arg(long, value_name = "ADDRESSES", env = "MARKETPLACE_TRUSTED_PROXIES")]
    trusted_proxies: Option<Networks>,
    /// Origins whose pages may call the marketplace, separated by commas, or `*`
    #[arg(
        long,
        value_name = "ORIGINS",
        env = "FRONTEND_URL",
        value_delimiter = ','
    )]
    pub cors_origins: Vec<String>,
    /// Maximum size of a request body in bytes
    #[arg(long, value_name = "BYTES", env = "MARKETPLACE_MAX_BODY", default_value_t = 65_536,
          value_parser = clap::value_parser!(u32).range(1024..=1 << 24))]
    pub max_body: u32,
}

/// The reason why the access configuration is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DoorError {
    #[error(
        "`{0}` is not an origin: write it as browsers do, such as `https://shop.example.org`, without a path, \
             a default port, capitals or `*`"
    )]
    Origin(String),
    #[error("cannot limit `{0}`: there is no such operation; `/openapi.json` lists all operations")]
    Operation(String),
}

/// Checks that precede every operation.
#[derive(Debug)]
pub(crate) struct Door {
    gate: Gate,
    proxies: Networks,
    pub(crate) max_body: usize,
}

impl Door {
    pub(crate) fn new(config: &DoorConfig) -> Self {
        let bypass = config.rate_limit_bypass_ips.clone().unwrap_or_default();
        Self {
            gate: Gate::new(config.limits(), bypass),
            proxies: config.trusted_proxies.clone().unwrap_or_default(),
            max_body: config.max_body as usize,
        }
    }

    /// Counts a request. `None` if no limit applies to it.
    pub(crate) fn admit(&self, operation: &str, parts: &Parts) -> Option<Ticket> {
        let address = client(Peer::of(&parts.extensions), &parts.headers, &self.proxies);
        self.gate.admit(operation, address, Instant::now())
    }

    /// The exempt addresses and the rate limits, as text for `/healthz`.
    pub(crate) fn facts(&self) -> (Vec<String>, String) {
        (self.gate.bypass().words(), self.gate.limits().to_string())
    }
}

impl DoorConfig {
    fn limits(&self) -> Limits {
        let usual = || "*=6000/1m,auth.login=600/1m,auth.register=60/1m".parse();
        self.rate_limits
            .clone()
            .or_else(|| usual().ok())
            .unwrap_or_default()
    }

    /// Rejects malformed origins and limits on unknown operations.
    pub(crate) fn check(&self, operations: &[&str]) -> Result<(), DoorError> {
        if let Some(unknown) = self.limits().unknown(operations) {
            return Err(DoorError::Operation(unknown.to_owned()));
        }
        self.origins().map(|_| ())
    }

    /// Builds the CORS layer, which lets pages from the configured origins call the marketplace.
    pub(crate) fn cors(&self) -> Result<CorsLayer, DoorError> {
        let layer = CorsLayer::new()
            .allow_methods(AllowMethods::mirror_request())
            .allow_headers(AllowHeaders::mirror_request())
            .expose_headers(EXPOSED.map(HeaderName::from_static));
        if self.cors_origins.iter().any(|origin| origin.trim() == "*") {
            return Ok(layer.allow_origin(tower_http::cors::Any));
        }
        Ok(layer.allow_origin(self.origins()?))
    }

    fn origins(&self) -> Result<Vec<HeaderValue>, DoorError> {
        let named = self.cors_origins.iter().map(|origin| origin.trim());
        let named = named.filter(|origin| !origin.is_empty() && *origin != "*");
        named.map(origin).collect()
    }
}

fn origin(text: &str) -> Result<HeaderValue, DoorError> {
    let refused = || DoorError::Origin(text.to_owned());
    let url = reqwest::Url::parse(text).map_err(|_| refused())?;
    let is_web = matches!(url.scheme(), "http" | "https");
    let origin = url.origin().ascii_serialization();
    // CORS compares origins literally, so a pattern would match no page.
    if !is_web || origin != text || text.contains('*') {
        return Err(refused());
    }
    HeaderValue::from_str(text).map_err(|_| refused())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_read_and_what_is_none_is_refused() {
        for good in ["https://shop.example.org", "http://127.0.0.1:5173"] {
            assert!(origin(good).is_ok(), "{good}");
        }
        for bad in [
            "shop.example.org",
            "https://a.b/",
            "https://a.b/c",
            "ftp://a.b",
            "https://*.a.b",
            "https://a.b:443",
            "https://a.b,https://c.d",
        ] {
            assert!(origin(bad).is_err(), "{bad}");
        }
    }
}
