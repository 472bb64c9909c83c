use model::Fault;

use crate::nats::subject::refused;

/// The subjects of JetStream's requests. Each request has a JSON payload or none, and its reply is JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Api {
    prefix: String,
}

impl Default for Api {
    fn default() -> Self {
        Self {
            prefix: "$JS.API".to_owned(),
        }
    }
}

impl Api {
    /// The subjects of a domain, such as a leaf node's.
    pub fn of_domain(domain: &str) -> Result<Self, Fault> {
        let prefix = format!("$JS.{}.API", name(domain)?);
        Ok(Self { prefix })
    }

    /// Creates a stream. The payload is its configuration.
    pub fn create_stream(&self, stream: &str) -> Result<String, Fault> {
        self.of_stream("STREAM.CREATE", stream)
    }

    /// Deletes a stream with its messages.
    pub fn delete_stream(&self, stream: &str) -> Result<String, Fault> {
        self.of_stream("STREAM.DELETE", stream)
    }

    /// Asks for the configuration and the state of a stream.
    pub fn stream_info(&self, stream: &str) -> Result<String, Fault> {
        self.of_stream("STREAM.INFO", stream)
    }

    /// Creates a consumer that the server remembers. The payload is `{"stream_name":…,"config":{…}}`.
    pub fn create_consumer(&self, stream: &str, consumer: &str) -> Result<String, Fault> {
        self.of_consumer("CONSUMER.DURABLE.CREATE", stream, consumer)
    }

    /// Deletes a consumer.
    pub fn delete_consumer(&self, stream: &str, consumer: &str) -> Result<String, Fault> {
        self.of_consumer("CONSUMER.DELETE", stream, consumer)
    }

    /// Asks for the configuration and the state of a consumer.
    pub fn consumer_info(&self, stream: &str, consumer: &str) -> Result<String, Fault> {
        self.of_consumer("CONSUMER.INFO", stream, consumer)
    }

    /// Asks a consumer for messages. The payload is a [`super::Pull`].
    pub fn next(&self, stream: &str, consumer: &str) -> Result<String, Fault> {
        self.of_consumer("CONSUMER.MSG.NEXT", stream, consumer)
    }

    fn of_stream(&self, operation: &str, stream: &str) -> Result<String, Fault> {
        Ok(format!("{}.{operation}.{}", self.prefix, name(stream)?))
    }

    fn of_consumer(&self, operation: &str, stream: &str, consumer: &str) -> Result<String, Fault> {
        let stream = self.of_stream(operation, stream)?;
        Ok(format!("{stream}.{}", name(consumer)?))
    }
}

/// Checks the name of a stream, consumer or domain, which is one word of a subject.
fn name(text: &str) -> Result<&str, Fault> {
    let is_apart = |char: char| {
        char.is_whitespace() || char.is_control() || matches!(char, '.' | '*' | '>' | '/' | '\\')
    };
    if text.is_empty() || text.contains(is_apart) {
        return Err(refused(format!(
            "{text:?} is not the name of a stream, consumer or domain: use a name without blanks and . * > / \\"
        )));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_name_stream_and_consumer() {
        let api = Api::default();
        assert_eq!(
            api.create_stream("ORDERS").unwrap(),
            "$JS.API.STREAM.CREATE.ORDERS"
        );
        assert_eq!(
            api.next("ORDERS", "new").unwrap(),
            "$JS.API.CONSUMER.MSG.NEXT.ORDERS.new"
        );
        let leaf = Api::of_domain("leaf").unwrap();
        assert_eq!(leaf.stream_info("A").unwrap(), "$JS.leaf.API.STREAM.INFO.A");
        for bad in ["", "a.b", "a b", "*", ">", "a\r\nPING", "a/b"] {
            assert!(api.create_stream(bad).is_err(), "{bad:?}");
            assert!(api.next("A", bad).is_err(), "{bad:?}");
            assert!(Api::of_domain(bad).is_err(), "{bad:?}");
        }
    }
}
