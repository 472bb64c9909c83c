//! Headers of requests, with credentials that belong into no command line.

use std::env;

use anyhow::Context as _;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

/// Reads the headers of an environment variable, written as `key=value,key=value`. No message shows a value.
pub(super) fn from_env(variable: &str) -> anyhow::Result<HeaderMap> {
    let text = env::var(variable).unwrap_or_default();
    parse(&text).with_context(|| format!("the environment variable {variable}"))
}

fn parse(text: &str) -> anyhow::Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    let pairs = text.split(',').map(str::trim);
    for (number, pair) in (1..).zip(pairs.filter(|pair| !pair.is_empty())) {
        let (key, value) = pair
            .split_once('=')
            .with_context(|| format!("header {number} is not written as key=value"))?;
        let key: HeaderName = key
            .trim()
            .parse()
            .with_context(|| format!("header {number} has an invalid name"))?;
        let mut value = HeaderValue::from_str(value.trim())
            .with_context(|| format!("header {number} has an invalid value"))?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_and_a_message_shows_no_value() {
        let headers = parse("authorization=Basic a2V5OnNlY3JldA==, x-scope=a,").unwrap();
        assert_eq!(headers["authorization"], "Basic a2V5OnNlY3JldA==");
        assert_eq!(headers["x-scope"], "a");
        assert!(headers["authorization"].is_sensitive());
        for wrong in ["secret", "a=b,secret", "se cret=x", "a=sec\nret"] {
            let error = format!("{:#}", parse(wrong).unwrap_err());
            assert!(
                error.contains("header ") && !error.contains("sec"),
                "{error}"
            );
        }
    }
}
