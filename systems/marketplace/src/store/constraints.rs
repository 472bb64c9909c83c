//! Tests of the constraints that the database itself enforces.

use sqlx::AnyConnection;

use super::{Store, StoreConfig};

const ROWS: &[&str] = &[
    "INSERT INTO users VALUES ('b', 'b@x', 'b', 'buyer', '', NULL, 0, 0)",
    "INSERT INTO users VALUES ('s', 's@x', 's', 'seller', '', NULL, 0, 0)",
    "INSERT INTO users VALUES ('t', 't@x', 't', 'seller', '', NULL, 0, 0)",
    "INSERT INTO requests VALUES ('r', 'b', 't', '', '', 'EUR', NULL, 'selected', 'o', 0, 0, 0)",
    "INSERT INTO offers VALUES ('o', 'r', 's', 5, '', 'accepted', 1, 0, 0, 0)",
    "INSERT INTO payments VALUES ('p', 'r', 'b', 's', 5, 'EUR', 'held', 0, 250, 0, 0)",
    "INSERT INTO transfers VALUES ('h', 'p', 'hold', 0)",
    "INSERT INTO transfers VALUES ('e', 'p', 'settle', 0)",
    "INSERT INTO ratings VALUES ('r', 'b', 's', 5, '', 0)",
    "INSERT INTO notifications VALUES ('s', 1, 'rated', 'r', '{}', 'rated/r', 0, NULL)",
];

const FORBIDDEN: &[(&str, &str)] = &[
    (
        "a second account",
        "INSERT INTO users VALUES ('c', 'b@x', 'c', 'buyer', '', NULL, 0, 0)",
    ),
    (
        "an unknown role",
        "INSERT INTO users VALUES ('c', 'c@x', 'c', 'root', '', NULL, 0, 0)",
    ),
    (
        "a second selected offer",
        "INSERT INTO offers VALUES ('q', 'r', 't', 5, '', 'accepted', 1, 0, 0, 0)",
    ),
    (
        "a seller's second offer",
        "INSERT INTO offers VALUES ('q', 'r', 's', 5, '', 'awaiting_buyer', 1, 0, 0, 0)",
    ),
    (
        "an offer with the amount 0",
        "INSERT INTO offers VALUES ('q', 'r', 't', 0, '', 'lost', 1, 0, 0, 0)",
    ),
    (
        "a second payment",
        "INSERT INTO payments VALUES ('q', 'r', 'b', 's', 5, 'EUR', 'pending', 0, 250, 0, 0)",
    ),
    (
        "a second hold",
        "INSERT INTO transfers VALUES ('i', 'p', 'hold', 0)",
    ),
    (
        "a second settlement",
        "INSERT INTO transfers VALUES ('i', 'p', 'settle', 0)",
    ),
    (
        "a second rating",
        "INSERT INTO ratings VALUES ('r', 'b', 's', 1, '', 0)",
    ),
    (
        "six stars",
        "INSERT INTO ratings VALUES ('r', 's', 'b', 6, '', 0)",
    ),
    (
        "a second notification of the same event",
        "INSERT INTO notifications VALUES ('s', 2, 'rated', 'r', '{}', 'rated/r', 0, NULL)",
    ),
    (
        "a request by an unknown buyer",
        "INSERT INTO requests VALUES ('z', 'nobody', 't', '', '', 'EUR', NULL, 'open', NULL, 0, 0, 0)",
    ),
];

async fn run(db: &mut AnyConnection, statement: &'static str) -> Result<(), sqlx::Error> {
    sqlx::query(statement).execute(db).await.map(|_| ())
}

#[tokio::test]
async fn what_must_never_happen_is_forbidden_by_the_database() {
    let store = Store::open(
        "sqlite::memory:",
        &StoreConfig {
            store: None,
            connections: 1,
            sync: false,
        },
    )
    .await
    .unwrap();
    let mut transaction = store.begin().await.unwrap();
    for statement in ROWS {
        run(&mut transaction, statement).await.unwrap();
    }
    for (what, statement) in FORBIDDEN {
        assert!(
            run(&mut transaction, statement).await.is_err(),
            "the database accepted {what}"
        );
    }
}
