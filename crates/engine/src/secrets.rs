//! Removes credentials from options that are stored.

use serde_json::Value;

/// Text that is stored instead of a secret value.
const HIDDEN: &str = "***";

/// A header whose name contains one of these texts contains credentials.
const SECRET: [&str; 7] = [
    "auth", "cookie", "token", "secret", "password", "api-key", "apikey",
];

/// The options, without the values of headers that contain credentials. Credentials in URLs are left out of everything
/// that is stored or shown ([`model::without_credentials`]).
pub(crate) fn fit_to_be_stored(options: &Value) -> Value {
    let mut options = options.clone();
    if let Some(Value::Object(headers)) = options.get_mut("headers") {
        for (_, value) in headers.iter_mut().filter(|(name, _)| is_secret(name)) {
            *value = HIDDEN.into();
        }
    }
    options
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_of_headers_with_credentials_are_not_stored() {
        let given = json!({ "target": "http://a", "headers": {
            "Authorization": "Bearer b", "X-API-Key": "c", "cookie": "d=e", "X-Table": "7",
        } });
        let stored = json!({ "target": "http://a", "headers": {
            "Authorization": "***", "X-API-Key": "***", "cookie": "***", "X-Table": "7",
        } });
        assert_eq!(fit_to_be_stored(&given), stored);
        assert_eq!(fit_to_be_stored(&Value::Null), Value::Null);
    }
}
