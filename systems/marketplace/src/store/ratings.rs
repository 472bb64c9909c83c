use sqlx::{AnyConnection, FromRow};

use super::users::newest;
use crate::types::{Id, Time};

/// A rating that one side of a trade gives the other side.
#[derive(Clone, Debug, FromRow)]
pub(crate) struct RatingRow {
    pub(crate) request_id: Id,
    pub(crate) rater_id: Id,
    pub(crate) rated_id: Id,
    pub(crate) stars: i64,
    pub(crate) comment: String,
    pub(crate) created_at: Time,
}

/// The number of a user's ratings, and the sum of their stars.
#[derive(Clone, Copy, Debug, FromRow)]
pub(crate) struct Standing {
    pub(crate) ratings: i64,
    pub(crate) stars: i64,
}

pub(crate) async fn insert(db: &mut AnyConnection, row: &RatingRow) -> Result<(), sqlx::Error> {
    let insert = "INSERT INTO ratings (request_id, rater_id, rated_id, stars, comment, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6)";
    sqlx::query(insert)
        .bind(&row.request_id)
        .bind(&row.rater_id)
        .bind(&row.rated_id)
        .bind(row.stars)
        .bind(&row.comment)
        .bind(row.created_at)
        .execute(db)
        .await?;
    Ok(())
}

/// The ratings of a user, newest trades first.
pub(crate) async fn page(
    db: &mut AnyConnection,
    rated: &Id,
    after: Option<&Id>,
    rows: i64,
) -> Result<Vec<RatingRow>, sqlx::Error> {
    let select = "SELECT * FROM ratings WHERE rated_id = $1 AND request_id < $2 \
        ORDER BY request_id DESC LIMIT $3";
    let query = sqlx::query_as(select).bind(rated).bind(newest(after));
    query.bind(rows).fetch_all(db).await
}

pub(crate) async fn standing(db: &mut AnyConnection, rated: &Id) -> Result<Standing, sqlx::Error> {
    let select = "SELECT COUNT(*) AS ratings, CAST(COALESCE(SUM(stars), 0) AS BIGINT) AS stars \
        FROM ratings WHERE rated_id = $1";
    sqlx::query_as(select).bind(rated).fetch_one(db).await
}
