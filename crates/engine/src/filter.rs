use delivery::Pointer;
use model::{Fault, FaultKind};

/// The values that a message must have at given JSON pointers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    wanted: Vec<(Pointer, Vec<String>)>,
}

impl Filter {
    /// Parses pointers and JSON texts from the script.
    pub(crate) fn new(only: Vec<(String, String)>) -> Result<Self, Fault> {
        Self::any_of(only.into_iter().map(|(at, value)| (at, vec![value])))
    }

    /// Like [`Filter::new`], with a list of accepted values for each pointer.
    pub(crate) fn any_of(
        only: impl IntoIterator<Item = (String, Vec<String>)>,
    ) -> Result<Self, Fault> {
        let wanted = only
            .into_iter()
            .map(|(at, values)| Ok((pointer(&at)?, values)));
        Ok(Self {
            wanted: wanted.collect::<Result<_, Fault>>()?,
        })
    }

    pub(crate) fn also(mut self, at: &str, value: String) -> Result<Self, Fault> {
        self.wanted.push((pointer(at)?, vec![value]));
        Ok(self)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// The first value that differs: its pointer, the wanted value, and the value in the message.
    pub(crate) fn first_that_differs(
        &self,
        message: &[u8],
    ) -> Option<(String, String, Option<String>)> {
        self.wanted.iter().find_map(|(at, values)| {
            let raw = at.find(message);
            let came = raw.map(|raw| String::from_utf8_lossy(raw).into_owned());
            (!is_one_of(raw, values)).then(|| (at.to_string(), values.join(" or "), came))
        })
    }

    pub(crate) fn fits(&self, message: &[u8]) -> bool {
        let mut wanted = self.wanted.iter();
        wanted.all(|(at, values)| is_one_of(at.find(message), values))
    }
}

fn is_one_of(raw: Option<&[u8]>, values: &[String]) -> bool {
    raw.is_some_and(|raw| values.iter().any(|value| same_value(raw, value)))
}

pub(crate) fn pointer(at: &str) -> Result<Pointer, Fault> {
    Pointer::parse(at).ok_or_else(|| {
        Fault::script(
            FaultKind::Thrown,
            format!("`{at}` is not a JSON pointer: it must begin with `/`, such as \"/text\""),
        )
    })
}

/// Compares JSON values. Texts that are equal byte by byte need no parsing.
fn same_value(raw: &[u8], wanted: &str) -> bool {
    if raw == wanted.as_bytes() {
        return true;
    }
    // Two strings without escapes are equal only if their bytes are equal.
    let plain_string = raw.first() == Some(&b'"') && !raw.contains(&b'\\');
    if plain_string && !wanted.contains('\\') {
        return false;
    }
    let parse = |text| serde_json::from_slice::<serde_json::Value>(text).ok();
    parse(raw).is_some_and(|value| Some(value) == parse(wanted.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_values_and_not_spellings() {
        let filter = |value: &str| Filter::new(vec![("/type".into(), value.into())]).unwrap();
        assert!(filter("\"said\"").fits(br#"{"a":1,"type":"said"}"#));
        assert!(filter("\"said\"").fits(br#"{"type":"s\u0061id"}"#));
        assert!(!filter("\"said\"").fits(br#"{"type":"sad"}"#));
        assert!(!filter("\"said\"").fits(br#"{"typ":"said"}"#));
        assert!(filter("7").fits(br#"{"type": 7 }"#));
        assert!(!filter("7").fits(b"\xff\xfe"));
        assert!(Filter::default().fits(b"anything"));
    }

    #[test]
    fn accepts_each_of_several_values() {
        let values = vec!["\"partial\"".to_owned(), "\"final\"".to_owned()];
        let filter = Filter::any_of([("/type".to_owned(), values)]).unwrap();
        assert!(filter.fits(br#"{"type":"final"}"#));
        assert!(filter.fits(br#"{"type":"partial","text":""}"#));
        assert!(!filter.fits(br#"{"type":"error"}"#));
        assert!(!filter.fits(br#"{"text":"final"}"#));
    }
}
