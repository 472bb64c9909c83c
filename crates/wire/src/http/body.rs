use url::form_urlencoded;

/// The body of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// The bytes as they are sent.
    pub bytes: Vec<u8>,
    /// `Content-Type`, unless the request's own headers set one.
    pub content_type: Option<String>,
}

/// One part of a multipart form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The field's name.
    pub name: String,
    /// The file name. If it is set, the part is a file.
    pub filename: Option<String>,
    /// `Content-Type` of the part.
    pub content_type: Option<String>,
    /// The content.
    pub bytes: Vec<u8>,
}

impl Body {
    /// An empty body.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Bytes without a content type.
    pub fn bytes(bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            bytes: bytes.into(),
            content_type: None,
        }
    }

    /// Text in UTF-8.
    pub fn text(text: impl Into<String>) -> Self {
        Self::typed(text.into().into_bytes(), "text/plain; charset=utf-8")
    }

    /// JSON that is already encoded.
    pub fn json(text: impl Into<String>) -> Self {
        Self::typed(text.into().into_bytes(), "application/json")
    }

    /// A form with percent-encoded fields.
    pub fn form<K: AsRef<str>, V: AsRef<str>>(fields: impl IntoIterator<Item = (K, V)>) -> Self {
        let mut text = form_urlencoded::Serializer::new(String::new());
        text.extend_pairs(fields);
        let bytes = text.finish().into_bytes();
        Self::typed(bytes, "application/x-www-form-urlencoded")
    }

    /// A multipart form (RFC 7578). The boundary depends only on the parts, so that a repeated run sends equal bytes.
    pub fn multipart(parts: &[Part]) -> Self {
        let boundary = boundary_for(parts);
        let mut bytes = Vec::new();
        for part in parts {
            part.encode_into(&boundary, &mut bytes);
        }
        bytes.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        Self::typed(bytes, &format!("multipart/form-data; boundary={boundary}"))
    }

    fn typed(bytes: Vec<u8>, content_type: &str) -> Self {
        Self {
            bytes,
            content_type: Some(content_type.to_owned()),
        }
    }
}

impl Part {
    fn encode_into(&self, boundary: &str, out: &mut Vec<u8>) {
        let name = escape(&self.name);
        let mut head = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"");
        if let Some(filename) = &self.filename {
            let filename = escape(filename);
            head.extend(["; filename=\"", &filename, "\""]);
        }
        if let Some(content_type) = &self.content_type {
            let one_line = content_type.replace(['\r', '\n'], " ");
            head.extend(["\r\nContent-Type: ", &one_line]);
        }
        out.extend_from_slice(head.as_bytes());
        out.extend_from_slice(b"\r\n\r\n");
        out.extend_from_slice(&self.bytes);
        out.extend_from_slice(b"\r\n");
    }
}

/// Escapes a name as browsers do (WHATWG HTML, multipart/form-data encoding).
fn escape(name: &str) -> String {
    name.replace('"', "%22")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The first numbered boundary that occurs in none of the parts.
fn boundary_for(parts: &[Part]) -> String {
    let mut number: u64 = 0;
    loop {
        let boundary = format!("headcount-{number:016x}");
        let clash = |part: &Part| memchr::memmem::find(&part.bytes, boundary.as_bytes()).is_some();
        if !parts.iter().any(clash) {
            return boundary;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_percent_encoded() {
        let body = Body::form([("a b", "1&2"), ("ü", "=")]);
        assert_eq!(body.bytes, b"a+b=1%262&%C3%BC=%3D");
    }

    #[test]
    fn parts_are_separated_by_a_boundary_that_none_contains() {
        let part = Part {
            name: "up\"load".into(),
            filename: Some("a.txt".into()),
            content_type: Some("text/plain".into()),
            bytes: b"--headcount-0000000000000000".to_vec(),
        };
        let body = Body::multipart(&[part]);
        let expected = "--headcount-0000000000000001\r\n\
            Content-Disposition: form-data; name=\"up%22load\"; filename=\"a.txt\"\r\n\
            Content-Type: text/plain\r\n\r\n--headcount-0000000000000000\r\n\
            --headcount-0000000000000001--\r\n";
        assert_eq!(String::from_utf8(body.bytes).unwrap(), expected);
        let content_type = body.content_type.unwrap();
        assert!(content_type.ends_with("boundary=headcount-0000000000000001"));
    }
}
