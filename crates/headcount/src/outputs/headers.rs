//! Headers of requests, with credentials that belong into no command line.

use std::env;

use anyhow::Context as _;
use percent_encoding::percent_decode_str;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

/// Reads the headers of an environment variable, written as `key=value,key=value`. Values may be percent-encoded, as
/// OpenTelemetry specifies. No message shows a value.
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
        let value: Vec<u8> = percent_decode_str(value.trim()).collect();
        let mut value = HeaderValue::from_bytes(&value)
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
        let encoded = parse("authorization=Basic%20a%2Cb,x-share=100%").unwrap();
        assert_eq!(encoded["authorization"], "Basic a,b");
        assert_eq!(encoded["x-share"], "100%", "not an encoding");
        assert!(headers["authorization"].is_sensitive());
        for wrong in [
            "secret",
            "a=b,secret",
            "se cret=x",
            "a=sec\nret",
            "a=sec%0Aret",
        ] {
            let error = format!("{:#}", parse(wrong).unwrap_err());
            assert!(
                error.contains("header ") && !error.contains("sec"),
                "{error}"
            );
        }
    }
}
