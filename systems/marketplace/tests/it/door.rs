//! Checks that precede every operation: limits per route and address, exempt addresses and allowed origins. Also tests
//! health.

use std::process::Command;

use serde_json::json;

use crate::served::Served;

#[tokio::test]
async fn the_limit_of_the_report_is_told_in_headers_and_refuses_the_hundred_and_first() {
    let served = Served::start(&["--rate-limits", "*=100/15m"]);
    let url = format!("{}/api/users/me", served.url);
    let get = async |from: &str| {
        served
            .http
            .get(&url)
            .header("x-forwarded-for", from)
            .send()
            .await
            .unwrap()
    };
    for left in (0..100).rev() {
        let answer = get("192.0.2.1").await;
        assert_eq!(answer.status(), 401);
        assert_eq!(
            answer.headers()["ratelimit-remaining"],
            left.to_string().as_str()
        );
        assert_eq!(answer.headers()["ratelimit-policy"], "100;w=900");
    }
    let refused = get("192.0.2.2").await;
    assert_eq!(refused.status(), 429);
    let seconds: u64 = refused.headers()["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((890..=900).contains(&seconds));
    assert_eq!(refused.headers()["ratelimit-limit"], "100");
    served.kill();
}

#[tokio::test]
async fn addresses_and_networks_on_the_list_pass_and_health_shows_them() {
    let served = Served::start(&[
        "--rate-limits",
        "*=1/15m",
        "--rate-limit-bypass-ips",
        "10.0.0.0/8,127.0.0.1",
    ]);
    for _ in 0..5 {
        let answer = served.stranger().get("/api/users/me").await;
        assert_eq!(answer.status, 401);
        assert!(!answer.headers.contains_key("ratelimit-limit"));
    }
    let health = served.health().await;
    assert_eq!(
        health["rate_limit_bypass"],
        json!(["10.0.0.0/8", "127.0.0.1/32"])
    );
    assert_eq!(health["rate_limits"], "*=1/15m");
}

#[tokio::test]
async fn a_trusted_proxy_names_the_addresses_that_are_counted() {
    let served = Served::start(&[
        "--rate-limits",
        "users.me.get=1/15m",
        "--trusted-proxies",
        "127.0.0.0/8",
    ]);
    let url = format!("{}/api/users/me", served.url);
    let get = async |from: &str| {
        served
            .http
            .get(&url)
            .header("x-forwarded-for", from)
            .send()
            .await
            .unwrap()
            .status()
            .as_u16()
    };
    assert_eq!(get("192.0.2.1").await, 401);
    assert_eq!(get("192.0.2.1").await, 429);
    assert_eq!(get("192.0.2.2").await, 401);
    assert_eq!(
        served
            .http
            .get(format!("{}/openapi.json", served.url))
            .send()
            .await
            .unwrap()
            .status(),
        200
    );
}

#[tokio::test]
async fn only_pages_of_the_named_origins_may_call() {
    let served = Served::start(&[
        "--cors-origins",
        "https://shop.example.org,http://127.0.0.1:5173",
    ]);
    let allowed = async |origin: &str| {
        let request = served
            .http
            .get(format!("{}/api/users/me", served.url))
            .header("origin", origin);
        let answer = request.send().await.unwrap();
        answer
            .headers()
            .get("access-control-allow-origin")
            .map(|value| value.to_str().unwrap().to_owned())
    };
    assert_eq!(
        allowed("https://shop.example.org").await.as_deref(),
        Some("https://shop.example.org")
    );
    assert_eq!(allowed("https://evil.example.org").await, None);
    let request = served.http.get(format!("{}/api/users/me", served.url));
    let answer = request.header("origin", "http://127.0.0.1:5173").send();
    let exposed = answer.await.unwrap().headers()["access-control-expose-headers"].clone();
    assert!(
        exposed.to_str().unwrap().contains("retry-after"),
        "{exposed:?}"
    );
    let preflight = served.http.request(
        reqwest::Method::OPTIONS,
        format!("{}/api/auth/login", served.url),
    );
    let preflight = preflight
        .header("origin", "http://127.0.0.1:5173")
        .header("access-control-request-method", "POST");
    let answer = preflight.send().await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["access-control-allow-methods"], "POST");
}

#[tokio::test]
async fn health_is_ok_or_says_why_not() {
    let served = Served::start(&[
        "--hash",
        "bcrypt",
        "--bcrypt-cost",
        "12",
        "--hash-threads",
        "1",
        "--hash-queue",
        "1",
    ]);
    assert_eq!(served.health().await["status"], "ok");
    let login = json!({ "email": "a@x", "password": "a password" });
    let url = format!("{}/api/auth/login", served.url);
    let again_and_again = async || {
        for _ in 0..10_000 {
            served.http.post(&url).json(&login).send().await.unwrap();
        }
    };
    let crowd = futures_util::future::join_all((0..6).map(|_| again_and_again()));
    let watch = async {
        loop {
            let health = served.health().await;
            if health["status"] == "degraded" {
                return health["reasons"].clone();
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        reasons = watch => assert!(reasons[0].as_str().unwrap().contains("wait to be hashed"), "{reasons}"),
        _ = crowd => {}
        () = tokio::time::sleep(crate::served::PATIENCE) => panic!("never degraded"),
    }
    served.kill();
}

#[test]
fn a_bad_configuration_is_refused_before_anything_is_bound() {
    for (arguments, word) in [
        (
            ["--cors-origins", "https://a.example,b.example"],
            "b.example",
        ),
        (
            ["--cors-origins", "https://a.example/path"],
            "a.example/path",
        ),
        (["--rate-limits", "*=100"], "*=100"),
        (["--rate-limits", "auth.logim=5/1m"], "auth.logim"),
        (["--rate-limits", "openapi=5/1m"], "openapi"),
        (["--cors-origins", "https://*.example"], "*.example"),
        (["--rate-limit-bypass-ips", "localhost"], "localhost"),
        (["--store", "mysql://x"], "mysql"),
        (["--payment-mode", "provider"], "payment-secret"),
        (["--bcrypt-cost", "3"], "3"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_headcount-marketplace"))
            .envs([
                ("HEADCOUNT_LISTEN", "127.0.0.1:0"),
                ("MARKETPLACE_STORE", "sqlite::memory:"),
            ])
            .env("MARKETPLACE_ARGON_MEMORY", "64")
            .args(arguments)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(
            !output.status.success() && text.contains(word),
            "{arguments:?}: {text}"
        );
        assert!(output.stdout.is_empty(), "{arguments:?} was served");
    }
}
