use schemars::{JsonSchema, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::AnyConnection;

use super::path::RequestPath;
use super::trade_row::Trade;
use crate::account::UserPath;
use crate::market::Market;
use crate::operation::{Access, PageQuery, Read, Route, Write};
use crate::refusal::Refusal;
use crate::state::{Party, RequestAction, Stateful};
use crate::store::notifications::NoticeKind;
use crate::store::ratings::{self, RatingRow};
use crate::types::schema::described;
use crate::types::{Id, Listing, Text, Time};
use crate::work::{Actor, Step, Work};

/// A number of stars, 1 to 5.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(try_from = "i64")]
pub(crate) struct Stars(i64);

impl TryFrom<i64> for Stars {
    type Error = &'static str;

    fn try_from(stars: i64) -> Result<Self, &'static str> {
        if (1..=5).contains(&stars) {
            Ok(Self(stars))
        } else {
            Err("`stars` must be 1 to 5")
        }
    }
}

described!(
    Stars,
    json_schema!({ "type": "integer", "minimum": 1, "maximum": 5 })
);

/// The body of a rating.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewRating {
    stars: Stars,
    #[serde(default)]
    comment: Option<Text<0, 2000>>,
}

/// A rating.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Rating")]
pub(crate) struct RatingView {
    request_id: Id,
    rater_id: Id,
    rated_id: Id,
    stars: i64,
    comment: String,
    created_at: Time,
}

impl From<RatingRow> for RatingView {
    fn from(row: RatingRow) -> Self {
        Self {
            request_id: row.request_id,
            rater_id: row.rater_id,
            rated_id: row.rated_id,
            stars: row.stars,
            comment: row.comment,
            created_at: row.created_at,
        }
    }
}

/// Rates the other side of a finished trade. Each side may do this once.
#[derive(Debug)]
pub(crate) struct RateTrade {
    path: RequestPath,
    new: NewRating,
}

impl Write for RateTrade {
    const ROUTE: Route = Route::post(
        "marketplace.ratings.create",
        "/api/marketplace/purchase-requests/{request}/ratings",
    )
    .says("Rates the other side of a finished trade")
    .creates();
    type Path = RequestPath;
    type Body = NewRating;

    async fn begin(path: RequestPath, new: NewRating, _: &Market) -> Result<Self, Refusal> {
        Ok(Self { path, new })
    }
}

impl Step for RateTrade {
    type Answer = RatingView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<RatingView, Refusal> {
        let trade = Trade::lock(work, &self.path.request).await?;
        let party = trade.party(work.actor)?;
        trade.request.state.step(RequestAction::Rate, party)?;
        let rated = match party {
            Party::Buyer => &trade.selected()?.seller_id,
            _ => &trade.request.buyer_id,
        };
        let row = RatingRow {
            request_id: trade.request.id.clone(),
            rater_id: work.actor.user()?.id.clone(),
            rated_id: rated.clone(),
            stars: self.new.stars.0,
            comment: self
                .new
                .comment
                .as_ref()
                .map_or("", Text::as_str)
                .to_owned(),
            created_at: work.now,
        };
        ratings::insert(work.db(), &row).await.map_err(|error| {
            let rated = trade.request.state.forbidden(&[RequestAction::Rate], party);
            Refusal::once(error, Refusal::AlreadyRated(rated))
        })?;
        let data = json!({ "stars": row.stars });
        work.tell(
            &row.rated_id,
            NoticeKind::Rated,
            &trade.request,
            row.rater_id.as_str(),
            data,
        );
        Ok(RatingView::from(row))
    }
}

/// A user's ratings, with the number and the average of their stars.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Standing {
    count: i64,
    /// The mean of all stars. `null` without ratings.
    average: Option<f64>,
    page: Listing<RatingView>,
}

/// Lists the ratings of a user.
#[derive(Debug)]
pub(crate) struct ListRatings;

impl Read for ListRatings {
    const ROUTE: Route = Route::get("users.ratings.list", "/api/users/{user}/ratings")
        .says("The ratings of a user, newest first")
        .by(Access::SignedIn);
    type Path = UserPath;
    type Query = PageQuery;
    type Answer = Standing;

    async fn answer(
        path: UserPath,
        query: PageQuery,
        _: &Actor,
        db: &mut AnyConnection,
    ) -> Result<Standing, Refusal> {
        let user = crate::store::users::find(db, &path.user).await?;
        let user = user.ok_or(Refusal::NotFound("user"))?.id;
        let all = ratings::standing(db, &user).await?;
        let size = query.limit.unwrap_or_default();
        let rows = ratings::page(db, &user, query.after.as_ref(), size.rows() + 1).await?;
        let items = rows.into_iter().map(RatingView::from).collect();
        Ok(Standing {
            count: all.ratings,
            average: (all.ratings > 0).then(|| all.stars as f64 / all.ratings as f64),
            page: Listing::of(items, size, |rating| rating.request_id.clone()),
        })
    }
}
