use std::time::Duration;

use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::served::Served;

/// An OpenAI-compatible endpoint that returns the request as its reply.
async fn echo(Json(question): Json<Value>) -> Json<Value> {
    let messages = question["messages"].to_string();
    Json(json!({ "choices": [{ "message": { "role": "assistant", "content": messages } }] }))
}

async fn stub() -> String {
    let unauthorized = async || (StatusCode::UNAUTHORIZED, "no");
    let slow = async |question| {
        tokio::time::sleep(Duration::from_mins(1)).await;
        echo(question).await
    };
    let app = Router::new()
        .route("/ok/chat/completions", post(echo))
        .route("/slow/chat/completions", post(slow))
        .route(
            "/broken/chat/completions",
            post(async || StatusCode::INTERNAL_SERVER_ERROR),
        )
        .route(
            "/garbage/chat/completions",
            post(async || "{\"choices\":[]}"),
        )
        .route("/denied/chat/completions", post(unauthorized));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    url
}

fn bridge(url: &str) -> Served {
    let environment = [("BRIDGE_AGENT_URL", url), ("BRIDGE_AGENT_KEY", "sk-secret")];
    Served::start_with(&["--agent-timeout", "200ms"], &environment)
}

#[tokio::test]
async fn the_agent_knows_its_own_session_s_conversation_and_no_other() {
    let bridge = bridge(&format!("{}/ok", stub().await));
    bridge.say("bob", "Tower", "bob's word").await;
    bridge.say("ada", "Tower", "first").await;
    let reply = bridge.say("ada", "Tower", "second").await["reply"].to_string();
    assert!(
        reply.contains("first") && reply.contains("second"),
        "{reply}"
    );
    assert!(!reply.contains("bob's word"), "{reply}");
}

#[tokio::test]
async fn each_failure_of_the_agent_has_its_code() {
    let stub = stub().await;
    for (path, status, code) in [
        ("slow", 504, "agent_timeout"),
        ("broken", 502, "agent_unavailable"),
        ("garbage", 502, "agent_unavailable"),
        ("denied", 502, "agent_unavailable"),
    ] {
        let bridge = bridge(&format!("{stub}/{path}"));
        let body = json!({ "user": "ada", "message": "hello" });
        let response = bridge.chat(&body).await;
        assert_eq!(response.status().as_u16(), status, "{path}");
        let text = response.text().await.unwrap();
        assert!(text.contains(code), "{text}");
        assert!(!text.contains("sk-secret"), "{text}");
    }
}

#[tokio::test]
async fn by_websocket_all_hear_the_message_though_the_agent_fails() {
    let bridge = bridge(&format!("{}/denied", stub().await));
    let mut ada = bridge.join("user=ada&room=Tower").await;
    ada.send(&json!({ "type": "say", "text": "hello" })).await;
    assert_eq!(ada.event().await["type"], "said");
    let error = ada.event().await;
    assert_eq!(
        (&error["type"], &error["code"]),
        (&json!("error"), &json!("agent_unavailable"))
    );
}

#[tokio::test]
async fn by_websocket_answers_come_in_the_order_of_the_messages() {
    let bridge = bridge(&format!("{}/ok", stub().await));
    let mut ada = bridge.join("user=ada&room=Tower").await;
    for n in 1..=3 {
        ada.send(&json!({ "type": "say", "text": format!("{n}") }))
            .await;
    }
    let mut replies = Vec::new();
    while replies.len() < 3 {
        let event = ada.event().await;
        if event["type"] == "reply" {
            replies.push(event["sequence"].as_u64().unwrap());
        }
    }
    assert_eq!(replies, [1, 2, 3]);
}
