/// Defines an enum in which each variant has a word. The word is the same in the database, in JSON and in messages.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$note:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        pub(crate) enum $name {
            $($(#[$note])* #[serde(rename = $word)] $variant,)+
        }

        #[allow(dead_code, reason = "not every enum uses all of these functions")]
        impl $name {
            /// Every variant.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word.
            pub(crate) fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::types::words::UnknownWord;

            fn try_from(word: String) -> Result<Self, Self::Error> {
                match word.as_str() {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::types::words::UnknownWord(word)),
                }
            }
        }

        $crate::types::stored::stored!(
            $name,
            String,
            |variant| variant.word().to_owned(),
            |word| Ok($name::try_from(word)?)
        );
    };
}

pub(crate) use words;

/// The database contains a word that this version does not know.
#[derive(Debug, thiserror::Error)]
#[error("unknown value `{0}`; a later version may have written it")]
pub(crate) struct UnknownWord(pub(crate) String);
