use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use kit::testing::config;
use serde_json::{Value, json};
use tower::ServiceExt;

fn app(arguments: &[&str]) -> Router {
    bridge::app(&config(arguments)).unwrap()
}

async fn call(app: &Router, method: &str, path: &str, body: &str) -> Response<Body> {
    let request = Request::builder().method(method).uri(path);
    let request = request.body(Body::from(body.to_owned())).unwrap();
    app.clone().oneshot(request).await.unwrap()
}

async fn chat(app: &Router, body: Value) -> (StatusCode, Value) {
    read(call(app, "POST", "/bridge/chat", &body.to_string()).await).await
}

async fn read(response: Response<Body>) -> (StatusCode, Value) {
    let status = response.status();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&bytes).unwrap_or_default())
}

fn said(user: &str, room: &str) -> Value {
    json!({ "user": user, "room": room, "message": "hello" })
}

#[tokio::test]
async fn a_message_is_answered_in_its_session() {
    let app = app(&[]);
    let (status, first) = chat(&app, said("ada", "Library")).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(first["user"], "ada");
    assert_eq!(first["room"], "Library");
    assert_eq!(first["sequence"], 1);
    assert!(!first["reply"].as_str().unwrap().is_empty());
    let mut again = said("ada", "Library");
    again["session"] = first["session"].clone();
    let (_, second) = chat(&app, again).await;
    assert_eq!(second["sequence"], 2);
    assert_eq!(second["session"], first["session"]);
}

#[tokio::test]
async fn a_session_s_secret_is_shown_to_nobody_who_only_knows_the_name() {
    let app = app(&[]);
    let (_, first) = chat(&app, said("ada", "Tower")).await;
    let secret = first["session"].as_str().unwrap().to_owned();
    let (status, second) = chat(&app, said("ada", "Tower")).await;
    assert_eq!((status, &second["session"]), (StatusCode::OK, &Value::Null));
    for path in ["/bridge/sessions", "/bridge/rooms", "/healthz"] {
        let (_, shown) = read(call(&app, "GET", path, "").await).await;
        assert!(!shown.to_string().contains(&secret), "{path}: {shown}");
    }
}

#[tokio::test]
async fn another_user_s_session_is_refused() {
    let app = app(&[]);
    let (_, ada) = chat(&app, said("ada", "Tower")).await;
    chat(&app, said("bob", "Tower")).await;
    let mut forged = said("bob", "Tower");
    forged["session"] = ada["session"].clone();
    let (status, answer) = chat(&app, forged).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    assert_eq!(answer["error"]["code"], "wrong_session");
}

#[tokio::test]
async fn a_conversation_is_kept_bounded_and_private() {
    let app = app(&["--history", "2"]);
    let (_, first) = chat(&app, said("ada", "Tower")).await;
    for _ in 0..3 {
        chat(&app, said("ada", "Tower")).await;
    }
    let path = format!("/bridge/sessions/{}", first["session"].as_str().unwrap());
    let (status, inside) = read(call(&app, "GET", &path, "").await).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(inside["messages"], 4);
    assert_eq!(inside["conversation"].as_array().unwrap().len(), 2);
    let guessed = format!("/bridge/sessions/{:032x}", 7);
    let (status, _) = read(call(&app, "GET", &guessed, "").await).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn an_ended_session_is_gone_and_counted_so() {
    let app = app(&[]);
    let (_, first) = chat(&app, said("ada", "Tower")).await;
    let path = format!("/bridge/sessions/{}", first["session"].as_str().unwrap());
    let (status, _) = read(call(&app, "DELETE", &path, "").await).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let (_, sessions) = read(call(&app, "GET", "/bridge/sessions?count", "").await).await;
    assert_eq!(sessions, json!({ "active": 0 }));
    let (status, _) = read(call(&app, "DELETE", &path, "").await).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn sessions_are_listed_page_by_page_each_once() {
    let app = app(&[]);
    for n in 0..25 {
        chat(&app, said(&format!("user-{n}"), "Tower")).await;
    }
    let (mut users, mut after) = (Vec::new(), 0);
    loop {
        let path = format!("/bridge/sessions?limit=10&after={after}");
        let (_, page) = read(call(&app, "GET", &path, "").await).await;
        let sessions = page["sessions"].as_array().unwrap();
        users.extend(sessions.iter().map(|s| s["user"].to_string()));
        match page["next"].as_u64() {
            Some(next) => after = next,
            None => break,
        }
    }
    assert_eq!(users.len(), 25);
    users.sort();
    users.dedup();
    assert_eq!(users.len(), 25);
}

#[tokio::test]
async fn a_user_is_in_the_room_they_moved_to_and_in_no_other() {
    let app = app(&[]);
    let (_, first) = chat(&app, said("ada", "Tower")).await;
    let to = json!({ "user": "ada", "session": first["session"], "room": "Garden" });
    let (status, _) = read(call(&app, "POST", "/bridge/move", &to.to_string()).await).await;
    assert_eq!(status, StatusCode::OK);
    let (_, rooms) = read(call(&app, "GET", "/bridge/rooms", "").await).await;
    let rooms = rooms["rooms"].as_array().unwrap().clone();
    let with_ada = rooms.iter().filter(|r| r["users"] == json!(["ada"]));
    let names: Vec<_> = with_ada.map(|r| r["room"].as_str().unwrap()).collect();
    assert_eq!(names, ["Garden"]);
    assert_eq!(rooms.len(), 5);
}

#[tokio::test]
async fn what_is_wrong_is_refused_with_its_own_code() {
    let app = app(&["--max-message", "20", "--max-body", "300"]);
    let long = json!({ "user": "ada", "message": "x".repeat(21) }).to_string();
    let huge = json!({ "user": "ada", "message": "x".repeat(400) }).to_string();
    let cases = [
        (
            "POST",
            "/bridge/chat",
            "{\"user\": \"ada\",",
            400,
            "invalid_json",
        ),
        (
            "POST",
            "/bridge/chat",
            "{\"user\": \"ada\"}",
            400,
            "invalid_json",
        ),
        (
            "POST",
            "/bridge/chat",
            "{\"user\":\"\",\"message\":\"x\"}",
            400,
            "invalid_user",
        ),
        (
            "POST",
            "/bridge/chat",
            "{\"user\":\"a\\n\",\"message\":\"x\"}",
            400,
            "invalid_user",
        ),
        (
            "POST",
            "/bridge/chat",
            "{\"user\":\"a\",\"message\":\"\"}",
            400,
            "empty_message",
        ),
        ("POST", "/bridge/chat", &long, 413, "message_too_large"),
        ("POST", "/bridge/chat", &huge, 413, "body_too_large"),
        ("GET", "/bridge/chat", "", 405, "wrong_method"),
        ("GET", "/bridge", "", 404, "unknown_route"),
        ("GET", "/bridge/sessions?limit=x", "", 400, "invalid_query"),
        ("GET", "/bridge/ws?user=ada", "", 400, "not_an_upgrade"),
    ];
    for (method, path, body, expected, code) in cases {
        let (status, answer) = read(call(&app, method, path, body).await).await;
        assert_eq!(status.as_u16(), expected, "{method} {path} {body}");
        assert_eq!(answer["error"]["code"], code, "{method} {path} {body}");
    }
}

#[tokio::test]
async fn an_error_in_json_is_told_with_its_place_and_a_room_with_those_that_exist() {
    let app = app(&[]);
    let broken = call(&app, "POST", "/bridge/chat", "{\n  \"user\": ada }").await;
    let (_, answer) = read(broken).await;
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("line 2 column 11"), "{message}");
    let (status, answer) = chat(&app, said("ada", "Attic")).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("Tower, Chapel, Library, Garden, Dungeon"),
        "{message}"
    );
}

#[tokio::test]
async fn unknown_fields_are_let_pass() {
    let app = app(&[]);
    let mut body = said("ada", "Tower");
    body["mood"] = json!({ "happy": true });
    assert_eq!(chat(&app, body).await.0, StatusCode::OK);
}

#[tokio::test]
async fn each_limit_is_refused_with_its_status() {
    let app = app(&["--max-sessions", "3", "--max-room", "2"]);
    chat(&app, said("a", "Tower")).await;
    chat(&app, said("b", "Tower")).await;
    let (status, answer) = chat(&app, said("c", "Tower")).await;
    assert_eq!(
        (status.as_u16(), answer["error"]["code"].as_str()),
        (409, Some("room_full"))
    );
    chat(&app, said("c", "Chapel")).await;
    let full = call(
        &app,
        "POST",
        "/bridge/chat",
        &said("d", "Garden").to_string(),
    )
    .await;
    assert_eq!(full.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(full.headers().contains_key("retry-after"));
}

#[tokio::test]
async fn a_session_that_sends_too_fast_is_slowed_and_others_are_not() {
    let app = app(&["--rate-limit", "5"]);
    let mut statuses = Vec::new();
    for _ in 0..6 {
        statuses.push(chat(&app, said("ada", "Tower")).await.0.as_u16());
    }
    assert_eq!(statuses, [200, 200, 200, 200, 200, 429]);
    assert_eq!(chat(&app, said("bob", "Tower")).await.0, StatusCode::OK);
}

#[tokio::test]
async fn health_and_metrics_tell_what_is_there() {
    let app = app(&[]);
    chat(&app, said("ada", "Tower")).await;
    let (_, health) = read(call(&app, "GET", "/healthz", "").await).await;
    assert_eq!(health["status"], "ok");
    assert_eq!(health["sessions"], 1);
    assert_eq!(health["faults"], json!([]));
    let response = call(&app, "GET", "/metrics", "").await;
    let text = response.into_body().collect().await.unwrap().to_bytes();
    let text = String::from_utf8(text.to_vec()).unwrap();
    assert!(text.contains("bridge_messages_total 1"), "{text}");
    assert!(text.contains("bridge_sessions 1"), "{text}");
}
