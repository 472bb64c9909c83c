use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::routing::{MethodFilter, MethodRouter, get, on, post};
use kit::serve::Connections;
use prometheus_client::registry::Registry;
use serde_json::{Value, json};

use super::answer::{self, json as json_response};
use super::describe::{Describer, refuse};
use super::system::{self, DESCRIPTION, Provider, SOCKET, STREAM, WEBHOOK};
use crate::account::{
    CreateUser, ListUsers, Login, Logout, Refresh, Register, SetTelegram, ShowLedger, WhoAmI,
};
use crate::config::Config;
use crate::door::DoorError;
use crate::health::{Watch, health};
use crate::market::Market;
use crate::operation::{Read, Route, Verb, Write};
use crate::push::{ListNotifications, MarkRead, StreamQuery};
use crate::refusal::Refusal;
use crate::trade::{
    AcceptCounter, CancelRequest, ConfirmDelivery, CounterOffer, CreateOffer, CreateRequest,
    GetOffer, GetRequest, ListOffers, ListRatings, OpenDispute, Pay, ProviderEvent, RateTrade,
    RefundTrade, RejectOffer, ResolveDispute, SearchRequests, SelectOffer, UpdateDelivery,
    WithdrawOffer,
};

/// The router and the `OpenAPI` description of its routes.
#[derive(Default)]
struct Routes {
    router: Router<Arc<Market>>,
    describer: Describer,
    operations: Vec<&'static str>,
}

impl Routes {
    fn write<W: Write>(mut self) -> Self {
        self.describer.write::<W>();
        self.route(&W::ROUTE, on(filter(W::ROUTE.verb), answer::write::<W>))
    }

    fn read<R: Read>(mut self) -> Self {
        self.describer.read::<R>();
        self.route(&R::ROUTE, on(filter(R::ROUTE.verb), answer::read::<R>))
    }

    fn other(
        mut self,
        route: &Route,
        handler: MethodRouter<Arc<Market>>,
        change: impl FnOnce(&mut Describer, &mut Value),
    ) -> Self {
        let mut own = json!({});
        change(&mut self.describer, &mut own);
        self.describer.other(route, |operation| {
            for (name, value) in own.as_object().into_iter().flatten() {
                operation[name] = value.clone();
            }
            refuse(operation, &["404", "409", "413", "415"]);
        });
        self.route(route, handler)
    }

    fn route(mut self, route: &Route, handler: MethodRouter<Arc<Market>>) -> Self {
        self.operations.push(route.id);
        self.router = self.router.route(route.path, handler);
        self
    }
}

fn filter(verb: Verb) -> MethodFilter {
    match verb {
        Verb::Get => MethodFilter::GET,
        Verb::Post => MethodFilter::POST,
        Verb::Put => MethodFilter::PUT,
    }
}

/// All operations whose input and response are Rust types.
fn operations() -> Routes {
    Routes::default()
        .write::<Register>()
        .write::<Login>()
        .write::<Refresh>()
        .write::<Logout>()
        .write::<CreateUser>()
        .read::<ListUsers>()
        .read::<WhoAmI>()
        .write::<SetTelegram>()
        .read::<ListRatings>()
        .write::<CreateRequest>()
        .read::<SearchRequests>()
        .read::<GetRequest>()
        .write::<CancelRequest>()
        .write::<CreateOffer>()
        .read::<ListOffers>()
        .read::<GetOffer>()
        .write::<SelectOffer>()
        .write::<CounterOffer>()
        .write::<AcceptCounter>()
        .write::<RejectOffer>()
        .write::<WithdrawOffer>()
        .write::<Pay>()
        .write::<UpdateDelivery>()
        .write::<ConfirmDelivery>()
        .write::<OpenDispute>()
        .write::<ResolveDispute>()
        .write::<RefundTrade>()
        .write::<RateTrade>()
        .read::<ListNotifications>()
        .write::<MarkRead>()
        .read::<ShowLedger>()
}

/// Operations that do not fit [`Read`] or [`Write`]: the streams and the provider's webhook.
fn others(routes: Routes, provider: Provider) -> Routes {
    let stream = |kind: &'static str, status: &'static str| {
        move |describer: &mut Describer, own: &mut Value| {
            own["parameters"] = json!(describer.query::<StreamQuery>());
            own["responses"] =
                json!({ (status): { "description": "Stream opened", "content": { (kind): {} } } });
            refuse(own, &["400", "401", "429", "503"]);
        }
    };
    let webhook = move |state, request: Request| system::webhook(state, provider.clone(), request);
    routes
        .other(&STREAM, get(system::stream), stream("text/event-stream", "200"))
        .other(&SOCKET, get(system::socket), stream("text/plain", "101"))
        .other(&WEBHOOK, post(webhook), |describer, own| {
            let header = json!({
                "name": "X-Payment-Signature", "in": "header", "required": true,
                "schema": { "type": "string" },
            });
            own["parameters"] = json!([header]);
            let schema = describer.input::<ProviderEvent>();
            own["requestBody"] =
                json!({ "required": true, "content": { "application/json": { "schema": schema } } });
        })
}

/// Builds the router with all routes of the marketplace.
pub(crate) fn router(
    market: &Arc<Market>,
    config: &Config,
    connections: &Connections,
    watch: &Watch,
) -> Result<Router, DoorError> {
    let provider = Provider(config.trades.payment_secret.clone());
    let routes = others(operations(), provider);
    let Routes {
        router,
        mut describer,
        operations,
    } = routes;
    // Everyone may read the description without a rate limit, so it has no error responses.
    describer.other(&DESCRIPTION, |own| {
        if let Some(answers) = own["responses"].as_object_mut() {
            answers.retain(|status, _| status == "200");
        }
    });
    config.door.check(&operations)?;
    let description = describer.finish().to_string();
    let description =
        move || std::future::ready(json_response(StatusCode::OK, description.clone()));

    let mut registry = Registry::default();
    market.counters.register(&mut registry);
    connections.register(&mut registry);
    let (asked, watched, connections) = (market.clone(), watch.clone(), connections.clone());
    let health = move || health(&asked, &watched, &connections);
    let faults = market.faults.clone();
    let common = kit::metrics::routes(registry, faults, env!("CARGO_PKG_VERSION"), health);
    Ok(router
        .route(DESCRIPTION.path, get(description))
        .merge(common)
        .fallback(async || Refusal::UnknownRoute)
        .method_not_allowed_fallback(async || Refusal::WrongMethod)
        .with_state(market.clone())
        .layer(config.door.cors()?))
}
