use super::Payload;

/// The content of a message, in which filters look for values.
pub(super) trait Content {
    fn bytes(&self) -> &[u8];

    /// Whether this is an event of this name.
    fn is_event(&self, _name: &str) -> bool {
        false
    }
}

macro_rules! define_message {
    ($(
        $(#[$doc:meta])*
        $module:ident: $name:ident($host:ident, $member:ident) $(message $message:ident($content:ty))?
            prelude [$($path:literal = $source:expr),*],
    )*) => {
        /// A message that a socket received.
        #[derive(Clone, Debug)]
        pub enum Message {
            /// A string or an `ArrayBuffer`.
            Plain(Payload),
            $($(#[doc = concat!("A message of `", stringify!($name), "`.")] $message($content),)?)*
        }

        impl Message {
            /// Returns the content, in which filters look for values.
            #[must_use]
            pub fn bytes(&self) -> &[u8] {
                match self {
                    Self::Plain(payload) => payload.bytes(),
                    $($(Self::$message(message) => Content::bytes(message),)?)*
                }
            }

            /// Returns whether this is an event of this name.
            #[must_use]
            pub fn is_event(&self, name: &str) -> bool {
                match self {
                    Self::Plain(_) => false,
                    $($(Self::$message(message) => Content::is_event(message, name),)?)*
                }
            }
        }
    };
}
with_protocols!(define_message);
