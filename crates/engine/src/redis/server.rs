use model::{Fault, FaultKind, without_credentials};
use script::host::RedisCall;
use url::Url;
use wire::resp::Login;

/// The name of headcount's connections in `CLIENT LIST`.
const CLIENT_NAME: &str = "headcount";

/// The URL of the server of a call, and the login there. Without a URL, the server is the target.
pub(crate) fn of_call(call: &RedisCall, target: &Url) -> Result<(Url, Login), Fault> {
    let url = match &call.url {
        Some(url) => server_url(url)?,
        None => target.clone(),
    };
    check_scheme(&url, call.url.is_some())?;
    let own = Login::of_url(&url)?;
    let login = Login {
        user: call.user.clone().or(own.user),
        password: call.password.clone().or(own.password),
        name: Some(CLIENT_NAME.to_owned()),
        database: call.database.unwrap_or(own.database),
    };
    Ok((url, login))
}

fn server_url(url: &str) -> Result<Url, Fault> {
    Url::parse(url).map_err(|why| {
        let shown = without_credentials(url);
        Fault::script(
            FaultKind::Protocol,
            format!("`{shown}` is not a URL: {why}"),
        )
    })
}

fn check_scheme(url: &Url, is_given: bool) -> Result<(), Fault> {
    if matches!(url.scheme(), "redis" | "rediss") {
        return Ok(());
    }
    let shown = without_credentials(url.as_str());
    let detail = if is_given {
        format!("`{shown}` is not the URL of a Redis server, such as `redis://127.0.0.1:6379`")
    } else {
        format!("the target `{shown}` is not a Redis server: state the option `url`")
    };
    Err(Fault::script(FaultKind::Protocol, detail))
}

/// The server's address, under which connections are measured.
pub(super) fn address_in(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    format!("{}://{host}{port}", url.scheme())
}
