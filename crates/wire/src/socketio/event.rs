use memchr::memchr2;
use model::Fault;

use crate::fault::{printable, protocol};

/// The data of an event, split into name and arguments. The arguments are not parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// The text of the name between its quotes; it contains escapes unless `plain`.
    raw: &'a str,
    plain: bool,
    /// The arguments as comma-separated JSON, without the brackets of the list.
    pub arguments: &'a str,
}

impl<'a> Event<'a> {
    /// Parses `["name",argument,…]`. Does not check that the arguments are valid JSON, because their reader does.
    pub fn parse(data: &'a str) -> Result<Self, Fault> {
        let found = split(data);
        found.ok_or_else(|| {
            let shown = printable(data.as_bytes());
            protocol(format!("`{shown}` is not an event: it has no name"))
        })
    }

    /// Whether the event has this name.
    pub fn is(&self, name: &str) -> bool {
        if self.plain {
            self.raw == name
        } else {
            self.name() == name
        }
    }

    /// The text of the name between its quotes, and whether it contains no escapes.
    pub fn raw_name(&self) -> (&'a str, bool) {
        (self.raw, self.plain)
    }

    /// The name, unescaped.
    pub fn name(&self) -> String {
        if self.plain {
            return self.raw.to_owned();
        }
        let quoted = format!("\"{}\"", self.raw);
        serde_json::from_str(&quoted).unwrap_or_else(|_| self.raw.to_owned())
    }
}

fn split(data: &str) -> Option<Event<'_>> {
    let inner = data.trim_ascii().strip_prefix('[')?.strip_suffix(']')?;
    let quoted = inner.trim_ascii_start().strip_prefix('"')?;
    let bytes = quoted.as_bytes();
    let (mut end, mut plain) = (0, true);
    // Finds the closing quote of the name, skipping the byte after each backslash.
    loop {
        end += memchr2(b'"', b'\\', bytes.get(end..)?)?;
        if bytes[end] == b'"' {
            break;
        }
        plain = false;
        end += 2;
    }
    let rest = quoted[end + 1..].trim_ascii_start();
    let arguments = match rest {
        "" => "",
        more => more.strip_prefix(',')?.trim_ascii_start(),
    };
    Some(Event {
        raw: &quoted[..end],
        plain,
        arguments,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    #[test]
    fn names_and_arguments_are_slices() {
        let event = Event::parse(r#"["code-change",{"code":"]\""},2]"#).unwrap();
        assert!(event.is("code-change") && !event.is("code"));
        assert_eq!(event.arguments, r#"{"code":"]\""},2"#);
        let event = Event::parse(r#"[ "a\"b\u0041" , 1 ]"#).unwrap();
        assert!(event.is("a\"bA"));
        assert_eq!(event.arguments.trim_end(), "1");
        assert_eq!(Event::parse(r#"["x"]"#).unwrap().arguments, "");
        for bad in [
            "",
            "[]",
            "[1]",
            r#"["x"#,
            r#"["x" 1]"#,
            r#"["x\"]"#,
            "[\"é\\",
        ] {
            assert!(Event::parse(bad).is_err(), "{bad}");
        }
    }

    fn any_argument() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<i32>().prop_map(Value::from),
            ".{0,9}".prop_map(Value::from),
            prop::collection::btree_map(".{0,3}", ".{0,3}".prop_map(Value::from), 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    }

    proptest! {
        #[test]
        fn agrees_with_a_full_parser(name in ".{0,9}", arguments in prop::collection::vec(any_argument(), 0..4)) {
            let mut all = vec![Value::from(name.as_str())];
            all.extend(arguments.iter().cloned());
            let text = Value::from(all).to_string();
            let event = Event::parse(&text).unwrap();
            prop_assert!(event.is(&name));
            prop_assert_eq!(event.name(), name);
            let read: Vec<Value> = serde_json::from_str(&format!("[{}]", event.arguments)).unwrap();
            prop_assert_eq!(read, arguments);
        }

        #[test]
        fn nothing_makes_it_panic(text in "[\\[\\]\", \\\\a-bé]{0,20}") {
            if let Ok(event) = Event::parse(&text) {
                let _ = event.name();
            }
        }
    }
}
