use sqlx::AnyConnection;

use super::row::row;
use crate::state::{OfferState, Party};
use crate::types::{Amount, Id, Time};

row! {
    /// An offer, with its current price.
    #[derive(Clone, Debug)]
    pub(crate) struct OfferRow {
        pub(crate) id: Id,
        pub(crate) request_id: Id,
        pub(crate) seller_id: Id,
        pub(crate) amount: Amount,
        pub(crate) message: String,
        pub(crate) state: OfferState,
        /// Number of prices that were proposed.
        pub(crate) round: i64,
        pub(crate) valid_until: Time,
        pub(crate) created_at: Time,
        pub(crate) updated_at: Time,
    }
}

row! {
    /// A proposed price.
    #[derive(Clone, Debug)]
    pub(crate) struct RoundRow {
        pub(crate) round: i64,
        pub(crate) party: Party,
        pub(crate) amount: Amount,
        pub(crate) message: String,
        pub(crate) created_at: Time,
    }
}

/// Inserts an offer and its first round, which the seller proposed.
pub(crate) async fn insert(db: &mut AnyConnection, row: &OfferRow) -> Result<(), sqlx::Error> {
    let insert = "INSERT INTO offers (id, request_id, seller_id, amount, message, state, round, \
        valid_until, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)";
    sqlx::query(insert)
        .bind(&row.id)
        .bind(&row.request_id)
        .bind(&row.seller_id)
        .bind(row.amount)
        .bind(&row.message)
        .bind(row.state)
        .bind(row.round)
        .bind(row.valid_until)
        .bind(row.created_at)
        .execute(&mut *db)
        .await?;
    insert_round(db, row, Party::Seller).await
}

/// Stores the current price of `row` as a new round.
pub(crate) async fn insert_round(
    db: &mut AnyConnection,
    row: &OfferRow,
    party: Party,
) -> Result<(), sqlx::Error> {
    let insert = "INSERT INTO offer_rounds (offer_id, round, party, amount, message, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6)";
    sqlx::query(insert)
        .bind(&row.id)
        .bind(row.round)
        .bind(party)
        .bind(row.amount)
        .bind(&row.message)
        .bind(row.updated_at)
        .execute(db)
        .await?;
    Ok(())
}

/// Saves the fields that steps can change.
pub(crate) async fn update(db: &mut AnyConnection, row: &OfferRow) -> Result<(), sqlx::Error> {
    let update = "UPDATE offers SET amount = $2, message = $3, state = $4, round = $5, \
        valid_until = $6, updated_at = $7 WHERE id = $1";
    sqlx::query(update)
        .bind(&row.id)
        .bind(row.amount)
        .bind(&row.message)
        .bind(row.state)
        .bind(row.round)
        .bind(row.valid_until)
        .bind(row.updated_at)
        .execute(db)
        .await?;
    Ok(())
}

pub(crate) async fn find(
    db: &mut AnyConnection,
    request: &Id,
    id: &Id,
) -> Result<Option<OfferRow>, sqlx::Error> {
    let select = "SELECT * FROM offers WHERE id = $1 AND request_id = $2";
    let query = sqlx::query_as(select).bind(id).bind(request);
    query.fetch_optional(db).await
}

/// The offers for a request, oldest first. With `seller`, only the offers of that seller.
pub(crate) async fn of_request(
    db: &mut AnyConnection,
    request: &Id,
    seller: Option<&Id>,
) -> Result<Vec<OfferRow>, sqlx::Error> {
    let select =
        "SELECT * FROM offers WHERE request_id = $1 AND ($2 = '' OR seller_id = $2) ORDER BY id";
    let seller = seller.map_or("", Id::as_str);
    let query = sqlx::query_as(select).bind(request).bind(seller);
    query.fetch_all(db).await
}

/// All proposed prices of an offer, in order.
pub(crate) async fn rounds(
    db: &mut AnyConnection,
    offer: &Id,
) -> Result<Vec<RoundRow>, sqlx::Error> {
    let select = "SELECT round, party, amount, message, created_at FROM offer_rounds \
        WHERE offer_id = $1 ORDER BY round";
    sqlx::query_as(select).bind(offer).fetch_all(db).await
}

/// Finds at most `rows` open offers whose validity has ended. Returns the ids of each request and offer.
pub(crate) async fn due(
    db: &mut AnyConnection,
    now: Time,
    rows: i64,
) -> Result<Vec<(Id, Id)>, sqlx::Error> {
    let select = "SELECT request_id, id FROM offers WHERE state IN ('awaiting_buyer', 'awaiting_seller') \
        AND valid_until <= $1 ORDER BY valid_until LIMIT $2";
    sqlx::query_as(select)
        .bind(now)
        .bind(rows)
        .fetch_all(db)
        .await
}
