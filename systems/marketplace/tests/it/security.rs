//! Attacks by a malicious client. Every response is also checked against the description, and none is ever a 500.

use reqwest::Method;
use serde_json::json;

use crate::person::{REQUESTS, of, paid};
use crate::served::{PASSWORD, Served};

#[tokio::test]
async fn other_peoples_things_are_not_there() {
    let served = Served::start(&[]);
    let (buyer, seller, request) = paid(&served, 1_000).await;
    let (thief, rival) = (served.buyer().await, served.seller().await);
    for other in [&thief, &rival] {
        other
            .get(&format!("{REQUESTS}/{request}"))
            .await
            .refused(404, "not_found");
        other
            .get(&of(&request, "offers"))
            .await
            .refused(404, "not_found");
        other
            .post(&of(&request, "cancel"), json!({}))
            .await
            .refused(404, "not_found");
        other
            .post(&of(&request, "dispute"), json!({ "reason": "x" }))
            .await
            .refused(404, "not_found");
        other
            .post(&of(&request, "ratings"), json!({ "stars": 1 }))
            .await
            .refused(404, "not_found");
    }
    thief.pays(&request).await.refused(404, "not_found");
    thief.confirms(&request).await.refused(404, "not_found");
    rival.ships(&request).await.refused(404, "not_found");
    rival
        .post(&of(&request, "refund"), json!({}))
        .await
        .refused(404, "not_found");
    let list = thief.get(&format!("{REQUESTS}?limit=100")).await.done();
    assert_eq!(list.body["items"], json!([]));
    assert!(thief.told().await.is_empty());

    let open = buyer.asks().await;
    let offer = seller.offers(&open, 10).await;
    thief.selects(&open, &offer).await.refused(404, "not_found");
    thief
        .post(&of(&open, "cancel"), json!({}))
        .await
        .refused(403, "forbidden");
    let foreign = of(&request, &format!("offers/{offer}/select"));
    buyer
        .post(&foreign, json!({}))
        .await
        .refused(404, "not_found");
}

#[tokio::test]
async fn nobody_gets_a_role_that_was_not_given() {
    let served = Served::start(&[]);
    let body = |role: &str| json!({ "email": "x@x.test", "password": PASSWORD, "name": "X", "role": role });
    let stranger = served.stranger();
    stranger
        .post("/api/auth/register", body("admin"))
        .await
        .refused(400, "invalid_json");
    let mut more = body("buyer");
    more["id"] = json!("0");
    stranger
        .post("/api/auth/register", more)
        .await
        .refused(400, "invalid_json");
    stranger
        .post("/api/users/admin", body("admin"))
        .await
        .refused(401, "unauthenticated");
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    for person in [&buyer, &seller] {
        person
            .post("/api/users/admin", body("admin"))
            .await
            .refused(403, "forbidden");
        person
            .get("/api/users/admin")
            .await
            .refused(403, "forbidden");
        person
            .get("/api/admin/ledger")
            .await
            .refused(403, "forbidden");
    }
    seller
        .post(REQUESTS, json!({ "title": "x", "currency": "EUR" }))
        .await
        .refused(403, "forbidden");
    let request = buyer.asks().await;
    let offer = json!({ "price": { "amount": 1, "currency": "EUR" } });
    buyer
        .post(&of(&request, "offers"), offer)
        .await
        .refused(403, "forbidden");
}

#[tokio::test]
async fn words_of_sql_are_just_words() {
    let served = Served::start(&[]);
    let buyer = served.buyer().await;
    for words in [
        "'; DROP TABLE users; --",
        "\" OR 1=1 --",
        "%' OR '1'='1",
        "$1",
        "\\",
        "!",
        "_",
    ] {
        let body = json!({ "title": words, "currency": "EUR" });
        let made = buyer.post(REQUESTS, body).await.done();
        assert_eq!(made.body["title"], words);
        let mut url = reqwest::Url::parse("http://x").unwrap();
        url.query_pairs_mut().append_pair("search", words);
        let list = buyer
            .get(&format!("{REQUESTS}?{}", url.query().unwrap()))
            .await
            .done();
        assert_eq!(list.body["items"].as_array().unwrap().len(), 1, "{words}");
    }
    let login = json!({ "email": "x'or'1'='1@x", "password": "' OR '1'='1" });
    served
        .stranger()
        .post("/api/auth/login", login)
        .await
        .refused(401, "wrong_credentials");
}

#[tokio::test]
async fn tokens_that_are_none_are_refused_whatever_they_hold() {
    let served = Served::start(&[]);
    for token in [
        "x",
        "' OR 1=1",
        "00000000000000000000000000000000",
        &"f".repeat(5_000),
    ] {
        let mut person = served.stranger();
        person.token = token.to_owned();
        person
            .get("/api/users/me")
            .await
            .refused(401, "unauthenticated");
    }
    for header in ["Basic YTpi", "Bearer", "", "\u{00ff}"] {
        let request = served.http.get(format!("{}/api/users/me", served.url));
        let value = reqwest::header::HeaderValue::from_bytes(header.as_bytes()).unwrap();
        let answer = request.header("authorization", value).send().await.unwrap();
        assert_eq!(answer.status(), 401, "{header:?}");
    }
}

#[tokio::test]
async fn bodies_that_are_none_are_refused_by_name() {
    let served = Served::start(&[]);
    let buyer = served.buyer().await;
    let send = async |body: String| buyer.send(Method::POST, REQUESTS, Some(body), None).await;
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    for broken in [
        "{",
        "[]",
        "null",
        "\"x\"",
        "{\"title\":1}",
        "{\"title\":\"x\",\"currency\":\"EUR\",\"title\":\"y\"}",
        "\u{0}",
        &deep,
    ] {
        send(broken.to_owned()).await.refused(400, "invalid_json");
    }
    let control = json!({ "title": "a\u{0}b", "currency": "EUR" }).to_string();
    send(control).await.refused(400, "invalid_json");
    let huge = json!({ "title": "x".repeat(70_000), "currency": "EUR" }).to_string();
    send(huge).await.refused(413, "body_too_large");
    let injected = json!({ "title": "x\r\nSet-Cookie: a=b", "currency": "EUR" });
    let made = buyer.post(REQUESTS, injected).await.done();
    assert!(!made.headers.contains_key("set-cookie"));

    let url = format!("{}{REQUESTS}", served.url);
    let form = served
        .http
        .post(&url)
        .bearer_auth(&buyer.token)
        .form(&[("title", "x")]);
    assert_eq!(form.send().await.unwrap().status(), 415);
    let logout = served.http.post(format!("{}/api/auth/logout", served.url));
    let nothing = logout.bearer_auth(served.buyer().await.token);
    let nothing = nothing.header("content-type", "application/octet-stream");
    assert_eq!(nothing.send().await.unwrap().status(), 200);
    buyer
        .get("/api/nothing")
        .await
        .refused(404, "unknown_route");
    buyer
        .send(Method::DELETE, REQUESTS, None, None)
        .await
        .refused(405, "wrong_method");
    for id in [
        "x",
        "..%2f..%2fetc",
        "%00",
        "0".repeat(33).as_str(),
        "%27%20OR%201=1",
    ] {
        buyer
            .get(&format!("{REQUESTS}/{id}"))
            .await
            .refused(404, "not_found");
    }
}

#[tokio::test]
async fn a_body_of_unknown_length_is_cut_off_at_the_limit() {
    let served = Served::start(&["--max-body", "2048"]);
    let buyer = served.buyer().await;
    let piece = format!("3e8\r\n{}\r\n", "x".repeat(1_000));
    let head = format!(
        "POST {REQUESTS} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n",
        buyer.token
    );
    let answer = served.raw(&format!("{head}{}0\r\n\r\n", piece.repeat(3)));
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    // An endless body is cut off. The client may then not receive the reason.
    let endless = served.raw(&format!("{head}{}", piece.repeat(1_200)));
    assert!(
        endless.is_empty() || endless.starts_with("HTTP/1.1 413"),
        "{endless}"
    );
    buyer.asks().await;
}
