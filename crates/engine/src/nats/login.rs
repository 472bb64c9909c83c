//! Who a client of a NATS server is.

use model::{Fault, FaultKind};
use script::host::{NatsCall, NatsLogin};
use url::Url;
use wire::nats::{Credentials, Key, Login};

use crate::net::{Connector, EndpointIndex};
use crate::shared_connections::Identity;

/// What the users of a shared connection have in common.
pub(crate) fn identity_of(endpoint: EndpointIndex, call: &NatsCall, url: &Url) -> Identity {
    let endpoint = endpoint.to_string();
    let echo = if call.no_echo { "no echo" } else { "echo" };
    let mut properties = vec!["nats", &endpoint, url.scheme(), echo, &call.name];
    properties.extend(match &call.login {
        NatsLogin::Anonymous => vec!["anonymous"],
        NatsLogin::Token(token) => vec!["token", token],
        NatsLogin::Password { user, password } => vec!["password", user, password],
        NatsLogin::Seed(seed) => vec!["seed", seed],
        NatsLogin::File(text) => vec!["file", text],
    });
    Identity::of(&properties)
}

/// The URL and the endpoint of a server; `None`: those of the target.
pub(crate) fn locate(
    connector: &mut Connector,
    url: Option<&str>,
) -> Result<(Url, EndpointIndex), Fault> {
    let parsed = match url {
        Some(url) => connector.join(url)?,
        None => connector.target().clone(),
    };
    if !matches!(parsed.scheme(), "nats" | "tls") {
        let what = url.map_or("the target".to_owned(), |url| format!("`{url}`"));
        let detail = format!(
            "{what} is not the URL of a NATS server: write `url: \"nats://host:4222\"`, or `tls://` for TLS"
        );
        return Err(Fault::script(FaultKind::Protocol, detail));
    }
    let endpoint = connector.endpoint_of(&parsed)?;
    Ok((parsed, endpoint))
}

/// What a client says about itself. `name` is for the server's monitoring.
pub(crate) fn login_of(call: &NatsCall, url: &Url, name: &str) -> Result<Login, Fault> {
    Ok(Login {
        credentials: credentials(&call.login, url)?,
        name: format!("headcount {name}"),
        no_echo: call.no_echo,
        tls: url.scheme() == "tls",
    })
}

/// The credentials of a login. The URL cannot have any, because URLs appear in messages.
fn credentials(login: &NatsLogin, url: &Url) -> Result<Credentials, Fault> {
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Fault::script(
            FaultKind::Protocol,
            "the URL of the NATS server contains credentials: use `user` and `password`, or `token`",
        ));
    }
    Ok(match login {
        NatsLogin::Anonymous => Credentials::None,
        NatsLogin::Token(token) => Credentials::Token(token.clone()),
        NatsLogin::Password { user, password } => Credentials::Password {
            user: user.clone(),
            password: password.clone(),
        },
        NatsLogin::Seed(seed) => Credentials::Key(Key::from_seed(seed)?),
        NatsLogin::File(text) => Credentials::from_file(text)?,
    })
}
