//! URLs as the script writes them, and the names under which requests are measured.

use std::borrow::Cow;

use model::without_credentials;

/// Replaces `:name` at the start of path segments by the escaped parameter. A missing or unused parameter is an error.
pub(super) fn fill(url: &str, params: &[(String, String)]) -> Result<String, String> {
    let mut filled = String::with_capacity(url.len() + 16);
    let mut used = vec![false; params.len()];
    let path_end = url.find(['?', '#']).unwrap_or(url.len());
    let (path, rest) = url.split_at(path_end);
    let mut tail = path;
    while let Some(at) = tail.find("/:") {
        let (before, after) = tail.split_at(at + 2);
        let end = after
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(after.len());
        let (name, behind) = after.split_at(end);
        if name.is_empty() {
            filled.push_str(before);
        } else {
            let at = params.iter().position(|(param, _)| param == name);
            let at = at.ok_or_else(|| format!("no `params` value for `:{name}` in {url:?}"))?;
            if let Some(used) = used.get_mut(at) {
                *used = true;
            }
            filled.push_str(before.strip_suffix(':').unwrap_or(before));
            filled.push_str(&escape(params.get(at).map_or("", |(_, value)| value)));
        }
        tail = behind;
    }
    if let Some(((name, _), _)) = params.iter().zip(&used).find(|(_, used)| !**used) {
        return Err(format!(
            "`params.{name}` is not used: {url:?} has no `:{name}`"
        ));
    }
    filled.push_str(tail);
    filled.push_str(rest);
    Ok(filled)
}

/// Adds a query. Removes the fragment, which is never sent.
pub(super) fn with_query(url: &str, query: &[(String, String)]) -> String {
    let url = url.split('#').next().unwrap_or(url);
    let mut whole = url.to_owned();
    for (name, value) in query {
        whole.push(if whole.contains('?') { '&' } else { '?' });
        whole.push_str(&escape(name));
        whole.push('=');
        whole.push_str(&escape(value));
    }
    whole
}

/// Returns the path as written, without query and fragment. An absolute URL keeps its scheme and host, but not its
/// credentials.
pub(super) fn template(url: &str) -> Cow<'_, str> {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    match path.as_bytes() {
        [] => Cow::Borrowed("/"),
        [b'/'] => Cow::Borrowed(path),
        [b'/', second, ..] if *second != b'/' => Cow::Borrowed(path),
        _ => without_credentials(path),
    }
}

/// Escapes like `encodeURIComponent`.
fn escape(text: &str) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push('%');
            escaped.push(char::from(HEX[usize::from(byte >> 4)]));
            escaped.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{fill, template, with_query};

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter()
            .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
            .collect()
    }

    #[test]
    fn parameters_are_filled_in_and_escaped() {
        let params = pairs(&[("id", "a/b c"), ("n", "ü")]);
        let filled = fill("http://host:80/x/:id/:n.json?at=/:no", &params);
        assert_eq!(
            filled.as_deref(),
            Ok("http://host:80/x/a%2Fb%20c/%C3%BC.json?at=/:no")
        );
    }

    #[test]
    fn missing_and_left_over_parameters_are_errors() {
        assert!(fill("/x/:id", &[]).unwrap_err().contains(":id"));
        assert!(
            fill("/x", &pairs(&[("id", "1")]))
                .unwrap_err()
                .contains("params.id")
        );
        assert_eq!(fill("/v1/x:cancel", &[]).as_deref(), Ok("/v1/x:cancel"));
    }

    #[test]
    fn queries_are_added_and_not_part_of_the_name() {
        let query = pairs(&[("q", "a&b"), ("n", "1")]);
        assert_eq!(with_query("/s#top", &query), "/s?q=a%26b&n=1");
        assert_eq!(with_query("/s?x=0", &query), "/s?x=0&q=a%26b&n=1");
        assert_eq!(template("/s?x=0#top"), "/s");
        assert_eq!(template("?x"), "/");
        assert_eq!(template("http://a:b@h/x?y"), "http://***@h/x");
        assert_eq!(template("//a:b@h"), "//***@h");
    }
}
