//! Streams of notifications, which show the same notifications as the list, each once and in order.

use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::time::timeout;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

use crate::person::{Person, of, paid};
use crate::served::{PATIENCE, Served};

/// An open stream of server-sent events.
struct Stream {
    response: reqwest::Response,
    text: String,
}

impl Stream {
    async fn open(person: &Person<'_>, query: &str, last: Option<&str>) -> Self {
        let url = format!("{}/api/notifications/stream?{query}", person.served.url);
        let mut request = person.served.http.get(url).bearer_auth(&person.token);
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            response,
            text: String::new(),
        }
    }

    /// Returns the id, name and data of the next event. `None` at the end.
    async fn next(&mut self) -> Option<(String, String, Value)> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    event
                        .lines()
                        .find_map(|line| line.strip_prefix(name))
                        .map(|text| text.trim().to_owned())
                };
                let read = field("id:").map(|id| {
                    (
                        id,
                        field("event:").unwrap(),
                        serde_json::from_str(&field("data:").unwrap()).unwrap(),
                    )
                });
                self.text = rest.to_owned();
                if read.is_some() {
                    return read;
                }
                continue;
            }
            let chunk = timeout(PATIENCE, self.response.chunk())
                .await
                .expect("nothing came")
                .ok()??;
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }
}

#[tokio::test]
async fn a_stream_of_events_tells_what_the_list_tells_and_resumes_where_it_was() {
    let served = Served::start(&[]);
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let mut stream = Stream::open(&seller, "", None).await;
    let request = buyer.asks().await;
    let offer = seller.offers(&request, 1_000).await;
    buyer.selects(&request, &offer).await.done();
    let (id, name, data) = stream.next().await.unwrap();
    assert_eq!((id.as_str(), name.as_str()), ("1", "offer_accepted"));
    assert_eq!(data["data"]["offerId"], offer.as_str());
    drop(stream);
    buyer.pays(&request).await.done();
    let mut resumed = Stream::open(&seller, "", Some("1")).await;
    assert_eq!(resumed.next().await.unwrap().1, "payment_received");
    let mut whole = Stream::open(&seller, "after=0", None).await;
    assert_eq!(whole.next().await.unwrap().0, "1");
    assert_eq!(whole.next().await.unwrap().0, "2");
}

#[tokio::test]
async fn a_socket_tells_the_same_and_a_token_may_stand_in_the_query() {
    let served = Served::start(&[]);
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let url = served.url.replace("http", "ws");
    let url = format!("{url}/api/notifications/ws?access_token={}", buyer.token);
    let (mut socket, _) = connect_async(&url).await.unwrap();
    let request = buyer.asks().await;
    seller.offers(&request, 1_000).await;
    let message = timeout(PATIENCE, socket.next())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    let told: Value = serde_json::from_str(message.to_text().unwrap()).unwrap();
    assert_eq!(
        (&told["kind"], &told["sequence"]),
        (&json!("offer_received"), &json!(1))
    );
    let refused = connect_async(url.replace("access_token=", "access_token=0")).await;
    assert!(refused.is_err(), "a wrong token was taken");
    buyer.post("/api/auth/logout", json!({})).await.done();
    let end = timeout(PATIENCE, socket.next()).await.unwrap();
    assert!(matches!(end, Some(Ok(Message::Close(_))) | None), "{end:?}");
}

#[tokio::test]
async fn a_request_without_a_websocket_handshake_is_an_invalid_upgrade() {
    let served = Served::start(&[]);
    let buyer = served.buyer().await;
    buyer
        .get("/api/notifications/ws")
        .await
        .refused(400, "invalid_upgrade");
}

#[tokio::test]
async fn a_stream_loses_nothing_under_many_trades() {
    let served = Served::start(&["--threads", "2"]);
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    let mut stream = Stream::open(&buyer, "", None).await;
    let trade = async || {
        let request = buyer.asks().await;
        let offer = seller.offers(&request, 100).await;
        seller
            .post(
                &of(&request, &format!("offers/{offer}/withdraw")),
                json!({}),
            )
            .await
            .done();
    };
    futures_util::future::join_all((0..50).map(|_| trade())).await;
    for expected in 1..=100 {
        assert_eq!(stream.next().await.unwrap().0, expected.to_string());
    }
}

#[tokio::test]
async fn at_a_stop_streams_end_and_the_process_with_them() {
    let served = Served::start(&[]);
    let (_, seller, _) = paid(&served, 100).await;
    let mut stream = Stream::open(&seller, "after=0", None).await;
    stream.next().await.unwrap();
    drop(seller);
    let url = served.url.clone();
    let stopped = tokio::task::spawn_blocking(move || served.terminate());
    stream.next().await.unwrap();
    assert!(stream.next().await.is_none(), "the stream goes on at {url}");
    assert!(stopped.await.unwrap());
}

#[tokio::test]
async fn streams_suffer_the_faults_that_were_ordered_and_the_list_does_not() {
    let served = Served::start(&["--faults", "drop=2"]);
    let (_, seller, _) = paid(&served, 100).await;
    let mut stream = Stream::open(&seller, "after=0", None).await;
    assert_eq!(stream.next().await.unwrap().0, "1");
    assert_eq!(seller.told().await.len(), 2);
    let url = format!("{}/faults", served.url);
    let faults: Value = served
        .http
        .get(url)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(faults["counts"]["dropped"], 1);
}

#[tokio::test]
async fn what_was_read_is_marked_and_paged() {
    let served = Served::start(&[]);
    let (buyer, seller) = (served.buyer().await, served.seller().await);
    for _ in 0..3 {
        let request = buyer.asks().await;
        seller.offers(&request, 1).await;
    }
    let first = buyer.get("/api/notifications?limit=2").await.done().body;
    assert_eq!(first["next"], 2);
    let rest = buyer
        .get("/api/notifications?limit=2&before=2")
        .await
        .done()
        .body;
    assert_eq!(
        (rest["items"].as_array().unwrap().len(), &rest["next"]),
        (1, &Value::Null)
    );
    let marked = buyer
        .post("/api/notifications/read", json!({ "upTo": 2 }))
        .await
        .done();
    assert_eq!(marked.body["marked"], 2);
    let unread = buyer
        .get("/api/notifications?unread=true")
        .await
        .done()
        .body;
    assert_eq!(unread["items"][0]["sequence"], 3);
}
