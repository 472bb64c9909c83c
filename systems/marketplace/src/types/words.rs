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

        impl sqlx::Type<sqlx::Any> for $name {
            fn type_info() -> sqlx::any::AnyTypeInfo {
                <String as sqlx::Type<sqlx::Any>>::type_info()
            }
        }

        impl<'r> sqlx::Decode<'r, sqlx::Any> for $name {
            fn decode(value: sqlx::any::AnyValueRef<'r>) -> Result<Self, sqlx::error::BoxDynError> {
                let word = <String as sqlx::Decode<'r, sqlx::Any>>::decode(value)?;
                Ok(Self::try_from(word)?)
            }
        }

        impl<'q> sqlx::Encode<'q, sqlx::Any> for $name {
            fn encode_by_ref(
                &self,
                buffer: &mut <sqlx::Any as sqlx::Database>::ArgumentBuffer,
            ) -> Result<sqlx::encode::IsNull, sqlx::error::BoxDynError> {
                let word = self.word().to_owned();
                <String as sqlx::Encode<'q, sqlx::Any>>::encode(word, buffer)
            }
        }
    };
}

pub(crate) use words;

/// The database contains a word that this version does not know.
#[derive(Debug, thiserror::Error)]
#[error("unknown value `{0}`; a later version may have written it")]
pub(crate) struct UnknownWord(pub(crate) String);
