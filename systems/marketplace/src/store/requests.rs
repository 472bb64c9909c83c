use sqlx::AnyConnection;

use super::row::row;
use super::users::newest;
use crate::state::RequestState;
use crate::types::{Amount, Currency, Id, Time};

row! {
    /// A purchase request.
    #[derive(Clone, Debug)]
    pub(crate) struct RequestRow {
        pub(crate) id: Id,
        pub(crate) buyer_id: Id,
        pub(crate) title: String,
        pub(crate) description: String,
        pub(crate) currency: Currency,
        pub(crate) budget: Option<Amount>,
        pub(crate) state: RequestState,
        pub(crate) selected_offer: Option<Id>,
        /// The time at which the current state expires, if it can expire.
        pub(crate) expires_at: Time,
        pub(crate) created_at: Time,
        pub(crate) updated_at: Time,
    }
}

/// The conditions of a search for requests.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    /// If set, find only requests of this buyer.
    pub(crate) buyer: Option<&'a Id>,
    /// If set, find only requests for which this seller has made an offer.
    pub(crate) seller: Option<&'a Id>,
    /// If set, find only requests that this user may see.
    pub(crate) seen_by: Option<&'a Id>,
    pub(crate) state: Option<RequestState>,
    /// Text that must occur in the title or description, which are joined for the search. Case is ignored.
    pub(crate) text: Option<&'a str>,
    pub(crate) after: Option<&'a Id>,
    pub(crate) rows: i64,
}

pub(crate) async fn insert(db: &mut AnyConnection, row: &RequestRow) -> Result<(), sqlx::Error> {
    let insert = "INSERT INTO requests (id, buyer_id, title, description, search, currency, budget, \
        state, expires_at, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)";
    let search = format!("{} {}", row.title, row.description).to_lowercase();
    sqlx::query(insert)
        .bind(&row.id)
        .bind(&row.buyer_id)
        .bind(&row.title)
        .bind(&row.description)
        .bind(search)
        .bind(&row.currency)
        .bind(row.budget)
        .bind(row.state)
        .bind(row.expires_at)
        .bind(row.created_at)
        .execute(db)
        .await?;
    Ok(())
}

pub(crate) async fn find(
    db: &mut AnyConnection,
    id: &Id,
) -> Result<Option<RequestRow>, sqlx::Error> {
    let select = "SELECT * FROM requests WHERE id = $1";
    sqlx::query_as(select).bind(id).fetch_optional(db).await
}

/// Finds a request and locks its trade until the transaction ends. Every step begins with this call, so two steps of a
/// trade never run at the same time.
pub(crate) async fn lock(
    db: &mut AnyConnection,
    id: &Id,
    now: Time,
) -> Result<Option<RequestRow>, sqlx::Error> {
    let update = "UPDATE requests SET updated_at = $2 WHERE id = $1 RETURNING *";
    sqlx::query_as(update)
        .bind(id)
        .bind(now)
        .fetch_optional(db)
        .await
}

/// Saves the fields that steps can change.
pub(crate) async fn update(db: &mut AnyConnection, row: &RequestRow) -> Result<(), sqlx::Error> {
    let update =
        "UPDATE requests SET state = $2, selected_offer = $3, expires_at = $4 WHERE id = $1";
    sqlx::query(update)
        .bind(&row.id)
        .bind(row.state)
        .bind(row.selected_offer.clone())
        .bind(row.expires_at)
        .execute(db)
        .await?;
    Ok(())
}

/// Requests that match the search, newest first.
pub(crate) async fn search(
    db: &mut AnyConnection,
    search: &Search<'_>,
) -> Result<Vec<RequestRow>, sqlx::Error> {
    // An empty parameter disables its condition, so that one statement serves all searches.
    let select = "SELECT * FROM requests WHERE id < $1 \
        AND ($2 = '' OR buyer_id = $2) \
        AND ($3 = '' OR id IN (SELECT request_id FROM offers WHERE seller_id = $3)) \
        AND ($4 = '' OR state = 'open' OR buyer_id = $4 \
             OR id IN (SELECT request_id FROM offers WHERE seller_id = $4)) \
        AND ($5 = '' OR state = $5) \
        AND ($6 = '' OR search LIKE $6 ESCAPE '!') \
        ORDER BY id DESC LIMIT $7";
    let id = |id: Option<&Id>| id.map_or("", Id::as_str).to_owned();
    sqlx::query_as(select)
        .bind(newest(search.after))
        .bind(id(search.buyer))
        .bind(id(search.seller))
        .bind(id(search.seen_by))
        .bind(search.state.map_or("", RequestState::word))
        .bind(search.text.map(like).unwrap_or_default())
        .bind(search.rows)
        .fetch_all(db)
        .await
}

/// Finds at most `rows` requests whose state has expired.
pub(crate) async fn due(
    db: &mut AnyConnection,
    now: Time,
    rows: i64,
) -> Result<Vec<Id>, sqlx::Error> {
    let select = "SELECT id FROM requests WHERE state IN ('open', 'selected', 'delivering') \
        AND expires_at <= $1 ORDER BY expires_at LIMIT $2";
    sqlx::query_scalar(select)
        .bind(now)
        .bind(rows)
        .fetch_all(db)
        .await
}

/// A `LIKE` pattern for texts that contain `text`. Wildcards in `text` are escaped with `!`.
fn like(text: &str) -> String {
    let mut pattern = String::from("%");
    for c in text.to_lowercase().chars() {
        if matches!(c, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}
