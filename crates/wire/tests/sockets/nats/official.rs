use std::time::Duration;

use async_nats::{HeaderMap, HeaderValue};
use futures_util::StreamExt as _;
use tokio::runtime::Builder;
use tokio::time::timeout;

use super::*;

/// Runs a future of the official client, with a time limit.
fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { timeout(Duration::from_secs(20), future).await.unwrap() })
}

#[test]
fn the_official_client_and_ours_understand_each_other() {
    let server = Server::start("");
    let mut ours = server.client();
    ours.subscribe("to.ours", None, 1);
    ours.settle();
    run(async {
        let theirs = async_nats::connect(server.address.to_string())
            .await
            .unwrap();
        let mut inbox = theirs.subscribe("to.theirs").await.unwrap();
        let mut headers = HeaderMap::new();
        headers.append("Own", "a");
        headers.append("Own", "b c");
        let reply = "to.theirs".to_owned();
        theirs
            .publish_with_reply_and_headers("to.ours", reply, headers, "hello".into())
            .await
            .unwrap();
        theirs.flush().await.unwrap();

        let heard = ours.take(1).remove(0);
        assert_eq!(
            (heard.text(), heard.reply.as_deref()),
            ("hello", Some("to.theirs"))
        );
        let own = |value: &str| ("Own".to_owned(), value.to_owned());
        assert_eq!(heard.headers, [own("a"), own("b c")]);

        let headers = [("Own", "x"), ("Own", "y: z"), ("Empty", "")];
        let subjects = ("to.theirs", Some("to.ours"));
        ours.connection
            .publish(&mut ours.out, subjects, &headers, b"\x00\r\n\xff")
            .unwrap();
        ours.settle();
        let message = inbox.next().await.unwrap();
        assert_eq!(
            (message.payload.as_ref(), message.reply.as_deref()),
            (b"\x00\r\n\xff".as_slice(), Some("to.ours"))
        );
        let headers = message.headers.unwrap();
        let values: Vec<&str> = headers.get_all("Own").map(HeaderValue::as_str).collect();
        assert_eq!(values, ["x", "y: z"]);
        assert_eq!(headers.get("Empty").map(HeaderValue::as_str), Some(""));
    });
}
