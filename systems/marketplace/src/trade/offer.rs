use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::RequestPath;
use super::trade_row::Trade;
use super::view::OfferView;
use crate::http::{Access, Market, Route, Write};
use crate::refusal::Refusal;
use crate::state::{OfferState, Party, RequestAction, RequestState, Stateful};
use crate::store::notifications::NoticeKind;
use crate::store::offers::{self, OfferRow};
use crate::types::{Currency, Money, Text, Time};
use crate::work::{Step, Work};

/// What a seller offers.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewOffer {
    /// In the currency of the request.
    pub(super) price: Money,
    #[serde(default)]
    pub(super) message: Option<Text<0, 2000>>,
    /// Until when the price stands; else as long as the request is open.
    #[serde(default)]
    pub(super) valid_until: Option<Time>,
}

impl NewOffer {
    pub(super) fn message(&self) -> String {
        self.message.as_ref().map_or("", Text::as_str).to_owned()
    }

    /// Until when it stands, for a request open until `end`.
    pub(super) fn valid_until(&self, now: Time, end: Time) -> Result<Time, Refusal> {
        let until = self.valid_until.unwrap_or(end);
        if until > now {
            return Ok(until.min(end));
        }
        Err(Refusal::InvalidField(
            "validUntil",
            "must be in the future".to_owned(),
        ))
    }

    pub(super) fn check(&self, currency: &Currency) -> Result<(), Refusal> {
        if self.price.currency == *currency {
            return Ok(());
        }
        let why = format!("the request is in {}", currency.as_str());
        Err(Refusal::InvalidField("price.currency", why))
    }
}

/// A seller offers.
#[derive(Debug)]
pub(crate) struct CreateOffer {
    path: RequestPath,
    new: NewOffer,
}

impl Write for CreateOffer {
    const ROUTE: Route = Route::post(
        "marketplace.offers.create",
        "/api/marketplace/purchase-requests/{request}/offers",
    )
    .says("Offers something for an open request; one offer per seller at a time")
    .by(Access::Seller)
    .creates();
    type Path = RequestPath;
    type Body = NewOffer;

    async fn begin(path: RequestPath, new: NewOffer, _: &Market) -> Result<Self, Refusal> {
        Ok(Self { path, new })
    }
}

impl Step for CreateOffer {
    type Answer = OfferView;

    async fn apply(&self, work: &mut Work<'_>) -> Result<OfferView, Refusal> {
        let trade = Trade::lock(work, &self.path.request).await?;
        let request = &trade.request;
        if request.state != RequestState::Open {
            // A seller without a part in the trade does not learn what became of it.
            trade.party(work.actor)?;
        }
        request.state.step(RequestAction::Offer, Party::Seller)?;
        self.new.check(&request.currency)?;
        let row = OfferRow {
            id: work.new_id()?,
            request_id: request.id.clone(),
            seller_id: work.actor.user()?.id.clone(),
            amount: self.new.price.amount,
            message: self.new.message(),
            state: OfferState::AwaitingBuyer,
            round: 1,
            valid_until: self.new.valid_until(work.now, request.expires_at)?,
            created_at: work.now,
            updated_at: work.now,
        };
        offers::insert(work.db(), &row).await.map_err(|error| {
            let offered = request
                .state
                .forbidden(&[RequestAction::Offer], Party::Seller);
            Refusal::once(error, Refusal::AlreadyOffered(offered))
        })?;
        let data = json!({ "offerId": row.id, "amount": row.amount, "currency": request.currency });
        work.tell(
            &request.buyer_id,
            NoticeKind::OfferReceived,
            request,
            row.id.as_str(),
            data,
        );
        Ok(OfferView::new(&row, &request.currency))
    }
}
