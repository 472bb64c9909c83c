use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::path::RequestPath;
use super::trade_row::Trade;
use super::view::OfferView;
use crate::market::Market;
use crate::operation::{Access, Route, Write};
use crate::refusal::Refusal;
use crate::state::{OfferState, Party, RequestAction, RequestState, Stateful};
use crate::store::notifications::NoticeKind;
use crate::store::offers::{self, OfferRow};
use crate::types::{Currency, Money, Text, Time};
use crate::work::{Step, Work};

/// The price and terms of an offer or a counter-offer.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewOffer {
    /// The price, in the currency of the request.
    pub(super) price: Money,
    #[serde(default)]
    pub(super) message: Option<Text<0, 2000>>,
    /// End of the offer's validity, not later than the request expires. Default: when the request expires.
    #[serde(default)]
    pub(super) valid_until: Option<Time>,
}

impl NewOffer {
    pub(super) fn message(&self) -> String {
        self.message.as_ref().map_or("", Text::as_str).to_owned()
    }

    /// The end of the offer's validity for a request that is open until `end`. Refuses a time in the past.
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

    /// Refuses the offer if its currency is not `currency`.
    pub(super) fn check(&self, currency: &Currency) -> Result<(), Refusal> {
        if self.price.currency == *currency {
            return Ok(());
        }
        let why = format!("must be {}, as in the request", currency.as_str());
        Err(Refusal::InvalidField("price.currency", why))
    }
}

/// Makes an offer. Only sellers may do this.
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
    .says("Makes an offer for an open request; a seller can have one offer at a time")
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
            // Sellers who do not take part in the trade must not learn its state, so `party` refuses them.
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
