//! A user of the marketplace.

use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use crate::served::{Served, described};

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
    pub(crate) headers: HeaderMap,
}

impl Answer {
    pub(crate) fn id(&self) -> String {
        assert!(self.status < 300, "{self:?}");
        self.body["id"].as_str().unwrap().to_owned()
    }

    pub(crate) fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or("none")
    }

    /// Asserts that the request was refused with this status and code.
    pub(crate) fn refused(&self, status: u16, code: &str) {
        assert_eq!((self.status, self.code()), (status, code), "{self:?}");
    }

    /// Asserts that the step was refused with this code, in this state, and with these allowed steps.
    pub(crate) fn refused_in(&self, code: &str, state: &str, allowed: &[&str]) {
        self.refused(409, code);
        let error = &self.body["error"];
        assert_eq!(
            (&error["state"], &error["allowed"]),
            (&json!(state), &json!(allowed)),
            "{self:?}"
        );
    }

    /// Asserts that the request succeeded.
    pub(crate) fn done(self) -> Self {
        assert!(self.status < 300, "{self:?}");
        self
    }
}

/// A user with or without a token.
#[derive(Clone)]
pub(crate) struct Person<'a> {
    pub(crate) served: &'a Served,
    pub(crate) token: String,
    pub(crate) refresh: String,
    pub(crate) id: String,
}

impl<'a> Person<'a> {
    pub(crate) fn new(served: &'a Served, token: String, id: String) -> Self {
        Self {
            served,
            token,
            refresh: String::new(),
            id,
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body.to_string()), None)
            .await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PUT, path, Some(body.to_string()), None)
            .await
    }

    /// Sends a POST with an idempotency key.
    pub(crate) async fn post_once(&self, key: &str, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body.to_string()), Some(key))
            .await
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<String>,
        key: Option<&str>,
    ) -> Answer {
        let url = format!("{}{path}", self.served.url);
        let mut request = self.served.http.request(method.clone(), url);
        if !self.token.is_empty() {
            request = request.bearer_auth(&self.token);
        }
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        if let Some(body) = body {
            request = request
                .header("content-type", "application/json")
                .body(body);
        }
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        let answer = Answer {
            status,
            body,
            headers,
        };
        assert_ne!(status, 500, "{path}: {answer:?}");
        described(self.served, method.as_str(), path, &answer).await;
        answer
    }

    /// Posts a purchase request. Returns its id.
    pub(crate) async fn asks(&self) -> String {
        let body = json!({ "title": "A bicycle", "description": "Blue", "currency": "EUR", "budget": 50_000 });
        self.post(REQUESTS, body).await.id()
    }

    /// Makes an offer for a request. Returns its id.
    pub(crate) async fn offers(&self, request: &str, amount: i64) -> String {
        let body = json!({ "price": { "amount": amount, "currency": "EUR" }, "message": "As new" });
        self.post(&of(request, "offers"), body).await.id()
    }

    pub(crate) async fn selects(&self, request: &str, offer: &str) -> Answer {
        self.post(&of(request, &format!("offers/{offer}/select")), json!({}))
            .await
    }

    pub(crate) async fn pays(&self, request: &str) -> Answer {
        self.post(&of(request, "status/payment"), json!({})).await
    }

    pub(crate) async fn ships(&self, request: &str) -> Answer {
        self.post(
            &of(request, "delivery"),
            json!({ "status": "shipped", "tracking": "T1" }),
        )
        .await
    }

    pub(crate) async fn confirms(&self, request: &str) -> Answer {
        self.post(&of(request, "delivery/confirm"), json!({})).await
    }

    /// Returns a request with its payment, delivery and dispute.
    pub(crate) async fn sees(&self, request: &str) -> Value {
        self.get(&format!("{REQUESTS}/{request}")).await.done().body
    }

    /// Returns the kinds of the user's notifications, oldest first.
    pub(crate) async fn told(&self) -> Vec<String> {
        let list = self.get("/api/notifications?limit=100").await.done();
        let items = list.body["items"].as_array().unwrap();
        let kinds = items
            .iter()
            .rev()
            .map(|item| item["kind"].as_str().unwrap().to_owned());
        kinds.collect()
    }
}

pub(crate) const REQUESTS: &str = "/api/marketplace/purchase-requests";

/// Returns the path of a resource that belongs to a request.
pub(crate) fn of(request: &str, what: &str) -> String {
    format!("{REQUESTS}/{request}/{what}")
}

/// Returns the total balance of each kind of account.
pub(crate) async fn balances(served: &Served) -> Vec<(String, i64)> {
    let ledger = served.admin().await.get("/api/admin/ledger").await.done();
    let lines = ledger.body["balances"].as_array().unwrap().clone();
    let line = |line: &Value| {
        (
            line["account"].as_str().unwrap().to_owned(),
            line["balance"].as_i64().unwrap(),
        )
    };
    lines.iter().map(line).collect()
}

/// Creates a paid trade. Returns buyer, seller and request.
pub(crate) async fn paid(served: &Served, amount: i64) -> (Person<'_>, Person<'_>, String) {
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let request = buyer.asks().await;
    let offer = seller.offers(&request, amount).await;
    buyer.selects(&request, &offer).await.done();
    buyer.pays(&request).await.done();
    (buyer, seller, request)
}
