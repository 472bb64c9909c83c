//! Registration, sessions and logout.

use serde_json::json;

use crate::served::{PASSWORD, Served};

#[tokio::test]
async fn an_address_has_one_account_however_it_is_written() {
    let served = Served::start(&[]);
    let body = |email: &str| json!({ "email": email, "password": PASSWORD, "name": "Ada", "role": "buyer" });
    let stranger = served.stranger();
    stranger
        .post("/api/auth/register", body("ada@x.test"))
        .await
        .done();
    stranger
        .post("/api/auth/register", body("Ada@X.test"))
        .await
        .refused(409, "email_taken");
    let admin = served.admin().await;
    admin
        .post("/api/users/admin", body("ADA@x.test"))
        .await
        .refused(409, "email_taken");
    served.login("ADA@X.TEST", PASSWORD).await;
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_address_are_refused_alike() {
    let served = Served::start(&[]);
    let login = async |email: &str| {
        let body = json!({ "email": email, "password": "not the password" });
        served.stranger().post("/api/auth/login", body).await
    };
    let (known, unknown) = (
        login("admin@market.test").await,
        login("nobody@market.test").await,
    );
    known.refused(401, "wrong_credentials");
    assert_eq!(known.body, unknown.body);
}

#[tokio::test]
async fn after_logout_neither_token_is_good() {
    let served = Served::start(&[]);
    let buyer = served.buyer().await;
    buyer.get("/api/users/me").await.done();
    buyer.post("/api/auth/logout", json!({})).await.done();
    buyer
        .get("/api/users/me")
        .await
        .refused(401, "unauthenticated");
    let refresh = json!({ "refreshToken": buyer.refresh });
    served
        .stranger()
        .post("/api/auth/refresh", refresh)
        .await
        .refused(401, "spent_token");
}

#[tokio::test]
async fn a_refresh_token_is_good_once_and_a_second_use_ends_the_session() {
    let served = Served::start(&[]);
    let buyer = served.buyer().await;
    let old = json!({ "refreshToken": buyer.refresh });
    let fresh = served
        .stranger()
        .post("/api/auth/refresh", old.clone())
        .await
        .done();
    buyer
        .get("/api/users/me")
        .await
        .refused(401, "unauthenticated");
    let mut renewed = buyer.clone();
    renewed.token = fresh.body["accessToken"].as_str().unwrap().to_owned();
    renewed.get("/api/users/me").await.done();
    served
        .stranger()
        .post("/api/auth/refresh", old)
        .await
        .refused(401, "spent_token");
    renewed
        .get("/api/users/me")
        .await
        .refused(401, "unauthenticated");
}

#[tokio::test]
async fn an_access_token_ends_by_itself() {
    let served = Served::start(&["--access-time", "1ms"]);
    let body = json!({ "email": "admin@market.test", "password": PASSWORD });
    let session = served.stranger().post("/api/auth/login", body).await.done();
    let token = session.body["accessToken"].as_str().unwrap().to_owned();
    let person = crate::person::Person::new(&served, token, String::new());
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    person
        .get("/api/users/me")
        .await
        .refused(401, "unauthenticated");
    served.kill();
}

#[tokio::test]
async fn tokens_and_passwords_are_not_kept_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.db");
    let served = Served::on(&format!("sqlite:{}", file.display()), &[]);
    let buyer = served.buyer().await;
    let (token, refresh) = (buyer.token.clone(), buyer.refresh.clone());
    drop(buyer);
    assert!(served.terminate());
    let kept = crate::served::all_files(folder.path());
    assert!(kept.contains("$argon2id$"), "there is no hash to be seen");
    for secret in [token.as_str(), refresh.as_str(), PASSWORD] {
        assert!(!kept.contains(secret), "a secret is kept");
    }
}

#[tokio::test]
async fn who_brings_an_old_token_may_come_in_again() {
    let served = Served::start(&[]);
    let buyer = served.buyer().await;
    buyer.post("/api/auth/logout", json!({})).await.done();
    let body = json!({ "email": "admin@market.test", "password": PASSWORD });
    buyer.post("/api/auth/login", body).await.done();
}

#[tokio::test]
async fn an_admin_of_the_configuration_who_is_somebody_else_ends_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let store = format!("sqlite:{}/m.db", folder.path().display());
    let served = Served::on(&store, &[]);
    let body = json!({ "email": "s@x", "password": PASSWORD, "name": "s", "role": "seller" });
    let made = served.stranger().post("/api/auth/register", body).await;
    assert_eq!(made.status, 201);
    drop(served);
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_headcount-marketplace"))
        .args(["--store", &store, "--listen", "127.0.0.1:0"])
        .args(["--admin-email", "s@x", "--admin-password", PASSWORD])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("`s@x` is the account of a seller"), "{said}");
}
