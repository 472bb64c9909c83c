/// Defines a struct that is read from a row of the database: each field from the column with its name.
///
/// The derive macro of `sqlx` would do the same, but it compiles `SQLite` a second time, for the compiler itself.
macro_rules! row {
    ($(#[$about:meta])* $seen:vis struct $name:ident {
        $($(#[$note:meta])* $visible:vis $field:ident: $kind:ty,)+
    }) => {
        $(#[$about])*
        $seen struct $name {
            $($(#[$note])* $visible $field: $kind,)+
        }

        impl<'r> sqlx::FromRow<'r, sqlx::any::AnyRow> for $name {
            fn from_row(row: &'r sqlx::any::AnyRow) -> Result<Self, sqlx::Error> {
                Ok(Self { $($field: sqlx::Row::try_get(row, stringify!($field))?,)+ })
            }
        }
    };
}

pub(crate) use row;
