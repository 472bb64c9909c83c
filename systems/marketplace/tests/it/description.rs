//! The marketplace's own description, validated with third-party code.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::person::Answer;
use crate::served::Served;

/// The `OpenAPI` description of the marketplace.
pub(crate) struct Description(Value);

impl Description {
    pub(crate) fn new(read: Value) -> Self {
        Self(read)
    }

    /// Panics if the description does not contain a matching response.
    pub(crate) fn check(&self, method: &str, path: &str, answer: &Answer) {
        let path = path.split('?').next().unwrap();
        let Some(operation) = self.operation(method, path) else {
            assert!(
                [404, 405].contains(&answer.status),
                "{method} {path} is not described"
            );
            return;
        };
        let response = &operation["responses"][answer.status.to_string()];
        assert!(
            response.is_object(),
            "{method} {path}: {} is not described: {:?}",
            answer.status,
            answer.body
        );
        let schema = &response["content"]["application/json"]["schema"];
        let whole = json!({ "allOf": [schema], "components": self.0["components"] });
        let validator = jsonschema::validator_for(&whole).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&answer.body)
            .map(|error| error.to_string())
            .collect();
        assert!(
            errors.is_empty(),
            "{method} {path}: {errors:?} in {}",
            answer.body
        );
    }

    fn operation(&self, method: &str, path: &str) -> Option<&Value> {
        let paths = self.0["paths"].as_object()?;
        // A literal path has precedence over a path with parameters.
        let exact = paths.get(path);
        let found = exact.or_else(|| {
            paths
                .iter()
                .find(|(template, _)| fits(template, path))
                .map(|(_, item)| item)
        });
        found?.get(method.to_lowercase())
    }

    fn operations(&self) -> impl Iterator<Item = (&String, &String, &Value)> {
        let paths = self.0["paths"].as_object().unwrap().iter();
        paths.flat_map(|(path, item)| {
            item.as_object()
                .unwrap()
                .iter()
                .map(move |(method, operation)| (path, method, operation))
        })
    }
}

fn fits(template: &str, path: &str) -> bool {
    let (template, path): (Vec<_>, Vec<_>) =
        (template.split('/').collect(), path.split('/').collect());
    template.len() == path.len()
        && template
            .iter()
            .zip(&path)
            .all(|(part, given)| part.starts_with('{') || part == given)
}

#[tokio::test]
async fn the_operations_of_the_report_are_there_by_their_names() {
    let served = Served::start(&[]);
    let description = served.description().await;
    let ids: BTreeSet<&str> = description
        .operations()
        .map(|(_, _, operation)| operation["operationId"].as_str().unwrap())
        .collect();
    for id in [
        "auth.login",
        "users.admin.create",
        "marketplace.purchaseRequests.create",
        "marketplace.offers.create",
        "marketplace.offers.select",
        "marketplace.purchaseRequests.status.payment",
        "marketplace.delivery.update",
        "marketplace.delivery.confirm",
        "notifications.list",
    ] {
        assert!(ids.contains(id), "{id} is missing");
    }
    assert_eq!(
        ids.len(),
        description.operations().count(),
        "a name is there twice"
    );
}

#[tokio::test]
async fn every_operation_that_is_described_is_there_and_every_reference_leads_somewhere() {
    let served = Served::start(&[]);
    let description = served.description().await;
    for (path, method, operation) in description.operations() {
        let url = format!(
            "{}{}",
            served.url,
            path.replace("{request}", "0")
                .replace("{offer}", "0")
                .replace("{user}", "0")
        );
        let method = method.to_uppercase().parse().unwrap();
        let answer = served.http.request(method, url).send().await.unwrap();
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap();
        assert!(
            !text.contains("unknown_route") && status != 405,
            "{path}: {status} {text}"
        );
        assert!(
            operation["responses"].get(status.to_string()).is_some(),
            "{path}: {status} {text}"
        );
    }
    let text = description.0.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(
            description.0.pointer(pointer).is_some(),
            "{pointer} leads nowhere"
        );
    }
}
