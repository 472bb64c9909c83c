use std::fmt;

use memchr::memchr2;

/// A JSON pointer (RFC 6901) that finds a value in raw JSON text without parsing the rest of the text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pointer {
    tokens: Vec<String>,
}

impl Pointer {
    /// Parses a pointer such as `/a/0/b`. The empty pointer selects the whole text. Returns `None` if a non-empty
    /// pointer does not begin with `/`.
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self { tokens: Vec::new() });
        }
        let tokens = text.strip_prefix('/')?.split('/');
        Some(Self {
            tokens: tokens
                .map(|token| token.replace("~1", "/").replace("~0", "~"))
                .collect(),
        })
    }

    /// The raw text of the value at the pointer. Text after the value is not read. For invalid JSON, the result is
    /// `None` or some slice of the text, never a panic.
    pub fn find<'a>(&self, json: &'a [u8]) -> Option<&'a [u8]> {
        let mut scan = Scan::of(json);
        for token in &self.tokens {
            scan.skip_space();
            match scan.peek()? {
                b'{' => scan.enter_member(token)?,
                b'[' => scan.enter_element(token)?,
                _ => return None,
            }
        }
        scan.skip_space();
        scan.value()
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tokens = self.tokens.iter();
        tokens.try_for_each(|token| write!(f, "/{}", token.replace('~', "~0").replace('/', "~1")))
    }
}

/// Scans JSON from front to back. It validates only as much of the text as it needs to find the ends of values.
pub(crate) struct Scan<'a> {
    json: &'a [u8],
    pub(crate) at: usize,
}

impl<'a> Scan<'a> {
    pub(crate) fn of(json: &'a [u8]) -> Self {
        Self { json, at: 0 }
    }

    /// Skips the value at the current position and returns its raw text.
    pub(crate) fn value(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        self.skip_value()?;
        self.json.get(start..self.at)
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.json.get(self.at).copied()
    }

    pub(crate) fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    pub(crate) fn expect(&mut self, byte: u8) -> Option<()> {
        self.skip_space();
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// Moves from `{` to the value of the key.
    fn enter_member(&mut self, key: &str) -> Option<()> {
        self.expect(b'{')?;
        loop {
            self.skip_space();
            let found = self.string()?;
            self.expect(b':')?;
            if is_key(found, key) {
                return Some(());
            }
            self.skip_space();
            self.skip_value()?;
            self.expect(b',')?;
        }
    }

    /// Moves from `[` to the value at the index. RFC 6901 allows no leading zeros.
    fn enter_element(&mut self, index: &str) -> Option<()> {
        if index.len() > 1 && index.starts_with('0') || index.starts_with('+') {
            return None;
        }
        let index: usize = index.parse().ok()?;
        self.expect(b'[')?;
        for _ in 0..index {
            self.skip_space();
            self.skip_value()?;
            self.expect(b',')?;
        }
        self.skip_space();
        (self.peek()? != b']').then_some(())
    }

    /// Skips the string at the current position and returns it with its quotes.
    fn string(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        if self.peek()? != b'"' {
            return None;
        }
        self.at += 1;
        loop {
            self.at += memchr2(b'"', b'\\', self.json.get(self.at..)?)?;
            if self.json[self.at] == b'"' {
                self.at += 1;
                return self.json.get(start..self.at);
            }
            self.at += 2;
        }
    }

    fn skip_value(&mut self) -> Option<()> {
        match self.peek()? {
            b'"' => self.string().map(drop),
            b'{' | b'[' => self.skip_nested(),
            _ => {
                let start = self.at;
                while !matches!(
                    self.peek(),
                    None | Some(b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r')
                ) {
                    self.at += 1;
                }
                (self.at > start).then_some(())
            }
        }
    }

    /// Skips an object or array by counting brackets outside of strings. The scan starts at a bracket, so `depth`
    /// cannot underflow.
    fn skip_nested(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.peek()? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }
}

/// Whether a raw string (with quotes) equals the key. Allocates only for strings with escapes, which are rare.
fn is_key(raw: &[u8], key: &str) -> bool {
    let inner = &raw[1..raw.len() - 1];
    if inner.contains(&b'\\') {
        return serde_json::from_slice::<String>(raw).is_ok_and(|name| name == key);
    }
    inner == key.as_bytes()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn found(json: &str, pointer: &str) -> Option<String> {
        let raw = Pointer::parse(pointer)?.find(json.as_bytes())?;
        Some(String::from_utf8(raw.to_vec()).unwrap())
    }

    #[test]
    fn finds_values_as_rfc_6901_says() {
        let text = r#" {"foo": ["bar", "baz"], "": 0, "a/b": 1, "m~n": 8, "k\"l": 6, "deep": {"x": [{"y": "}]"}]}} "#;
        assert_eq!(found(text, "/foo"), Some(r#"["bar", "baz"]"#.into()));
        assert_eq!(found(text, "/foo/1"), Some(r#""baz""#.into()));
        assert_eq!(found(text, "/"), Some("0".into()));
        assert_eq!(found(text, "/a~1b"), Some("1".into()));
        assert_eq!(found(text, "/m~0n"), Some("8".into()));
        assert_eq!(found(text, "/k\"l"), Some("6".into()));
        assert_eq!(found(text, "/deep/x/0/y"), Some(r#""}]""#.into()));
        assert_eq!(found(text, "/foo/2"), None);
        assert_eq!(found(text, "/foo/01"), None);
        assert_eq!(found(text, "/nope"), None);
        assert_eq!(Pointer::parse("foo"), None);
        for written in ["", "/", "/a~1b/m~0n/0"] {
            assert_eq!(Pointer::parse(written).unwrap().to_string(), written);
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            ".{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[a-c~/\"\\\\]{0,2}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn agrees_with_a_full_parser(value in any_json(), pointer in "(/([a-c]|~0|~1|[0-3]){0,2}){0,3}") {
            let text = value.to_string();
            let ours = Pointer::parse(&pointer).unwrap().find(text.as_bytes());
            let theirs = value.pointer(&pointer);
            prop_assert_eq!(ours.map(|raw| serde_json::from_slice::<Value>(raw).unwrap()), theirs.cloned());
        }

        #[test]
        fn never_panics_on_anything(bytes in prop::collection::vec(any::<u8>(), 0..200), pointer in "(/[a-z0-9]{0,2}){0,4}") {
            let _ = Pointer::parse(&pointer).unwrap().find(&bytes);
        }

        #[test]
        fn never_panics_on_broken_json(value in any_json(), cut in 0_usize..100) {
            let text = value.to_string();
            let _ = Pointer::parse("/a/0").unwrap().find(&text.as_bytes()[..cut.min(text.len())]);
        }
    }

    #[test]
    fn unbalanced_brackets_are_no_value() {
        assert_eq!(found(r#"{"a": [}"#, "/a/0"), None);
        assert_eq!(Pointer::parse("/a").unwrap().find(b"]"), None);
        let _ = json!({});
    }
}
