/// Stores a type in the database as one of the types that the database knows. `$encode` is a function from `&Self` to
/// `$stored`, and `$decode` one from `$stored` to `Result<Self, BoxDynError>`.
///
/// The derive macro of `sqlx` would do the same, but it compiles `SQLite` a second time, for the compiler itself.
macro_rules! stored {
    ($name:ident, $stored:ty, $encode:expr, $decode:expr) => {
        impl sqlx::Type<sqlx::Any> for $name {
            fn type_info() -> sqlx::any::AnyTypeInfo {
                <$stored as sqlx::Type<sqlx::Any>>::type_info()
            }
        }

        impl<'r> sqlx::Decode<'r, sqlx::Any> for $name {
            fn decode(value: sqlx::any::AnyValueRef<'r>) -> Result<Self, sqlx::error::BoxDynError> {
                let decode: fn($stored) -> Result<Self, sqlx::error::BoxDynError> = $decode;
                decode(<$stored as sqlx::Decode<'r, sqlx::Any>>::decode(value)?)
            }
        }

        impl<'q> sqlx::Encode<'q, sqlx::Any> for $name {
            fn encode_by_ref(
                &self,
                buffer: &mut <sqlx::Any as sqlx::Database>::ArgumentBuffer,
            ) -> Result<sqlx::encode::IsNull, sqlx::error::BoxDynError> {
                let encode: fn(&Self) -> $stored = $encode;
                <$stored as sqlx::Encode<'q, sqlx::Any>>::encode(encode(self), buffer)
            }
        }
    };
}

pub(crate) use stored;
