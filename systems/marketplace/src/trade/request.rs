use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use super::view::RequestView;
use crate::market::Market;
use crate::operation::{Access, Route, Write};
use crate::refusal::Refusal;
use crate::state::RequestState;
use crate::store::requests::{self, RequestRow};
use crate::types::{Amount, Currency, Text, Time};
use crate::work::{Step, Work};

/// The longest time for which a request can be open.
const LONGEST: Duration = Duration::from_hours(24 * 366);

/// The body of a new request.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewRequest {
    title: Text<1, 200>,
    #[serde(default)]
    description: Option<Text<0, 4000>>,
    currency: Currency,
    /// The most that the buyer wants to pay, in minor units. It is only informational; higher offers are allowed.
    #[serde(default)]
    budget: Option<Amount>,
    /// End of the time for offers, at most 366 days from now. Default: the configured open time.
    #[serde(default)]
    expires_at: Option<Time>,
}

/// Posts a request. Only buyers may do this.
#[derive(Debug)]
pub(crate) struct CreateRequest(NewRequest);

impl Write for CreateRequest {
    const ROUTE: Route = Route::post(
        "marketplace.purchaseRequests.create",
        "/api/marketplace/purchase-requests",
    )
    .says("Posts a request to buy something")
    .by(Access::Buyer)
    .creates();
    type Path = ();
    type Body = NewRequest;

    async fn begin((): (), body: NewRequest, _: &Market) -> Result<Self, Refusal> {
        Ok(Self(body))
    }
}

impl Step for CreateRequest {
    type Answer = RequestView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<RequestView, Refusal> {
        let (now, new) = (work.now, &self.0);
        let expires_at = new
            .expires_at
            .unwrap_or_else(|| now.after(work.terms.open_time));
        if expires_at <= now || expires_at > now.after(LONGEST) {
            let why = "must be in the future, within 366 days".to_owned();
            return Err(Refusal::InvalidField("expiresAt", why));
        }
        let description = new.description.as_ref().map_or("", Text::as_str);
        let row = RequestRow {
            id: work.new_id()?,
            buyer_id: work.actor.user()?.id.clone(),
            title: new.title.as_str().to_owned(),
            description: description.to_owned(),
            currency: new.currency.clone(),
            budget: new.budget,
            state: RequestState::Open,
            selected_offer: None,
            expires_at,
            created_at: now,
            updated_at: now,
        };
        requests::insert(work.db(), &row).await?;
        Ok(RequestView::from(&row))
    }
}
