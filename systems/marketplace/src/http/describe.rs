use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

use crate::operation::{Access, Read, Route, Verb, Write};

const DEFINITIONS: &str = "/components/schemas";

/// Builds the `OpenAPI` description of the routes.
#[derive(Debug)]
pub(super) struct Describer {
    /// Schemas of inputs. They are separate from `outputs`, because the schema of a type can differ between inputs and
    /// outputs.
    inputs: SchemaGenerator,
    outputs: SchemaGenerator,
    paths: Map<String, Value>,
}

impl Default for Describer {
    fn default() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = DEFINITIONS.into();
                settings.meta_schema = None;
            })
        };
        Self {
            inputs: settings().for_deserialize().into_generator(),
            outputs: settings().for_serialize().into_generator(),
            paths: Map::new(),
        }
    }
}

impl Describer {
    pub(super) fn write<W: Write>(&mut self) {
        let body = self.inputs.subschema_for::<W::Body>();
        let whole = self.inputs.root_schema_for::<W::Body>();
        let required = whole.get("required").and_then(Value::as_array);
        let answer = self.outputs.subschema_for::<W::Answer>();
        let mut operation = operation(&W::ROUTE, &json!(answer));
        operation["requestBody"] = json!({
            "required": required.is_some_and(|names| !names.is_empty()),
            "content": { "application/json": { "schema": body } },
        });
        if !W::ROUTE.secret {
            push(&mut operation["parameters"], idempotency_key());
            refuse(&mut operation, &["422"]);
        }
        refuse(&mut operation, &["409", "413", "415"]);
        self.add(&W::ROUTE, operation);
    }

    pub(super) fn read<R: Read>(&mut self) {
        let answer = self.outputs.subschema_for::<R::Answer>();
        let mut operation = operation(&R::ROUTE, &json!(answer));
        for parameter in self.query::<R::Query>() {
            push(&mut operation["parameters"], parameter);
        }
        self.add(&R::ROUTE, operation);
    }

    /// Adds an operation that has no Rust types for input and response. `change` adds these parts of the description.
    pub(super) fn other(&mut self, route: &Route, change: impl FnOnce(&mut Value)) {
        let mut operation = operation(route, &json!({}));
        change(&mut operation);
        self.add(route, operation);
    }

    /// The query parameters of `T`.
    pub(super) fn query<T: schemars::JsonSchema>(&mut self) -> Vec<Value> {
        parameters(&json!(self.inputs.root_schema_for::<T>()))
    }

    /// The schema of an input.
    pub(super) fn input<T: schemars::JsonSchema>(&mut self) -> Value {
        json!(self.inputs.subschema_for::<T>())
    }

    fn add(&mut self, route: &Route, operation: Value) {
        let path = self.paths.entry(route.path).or_insert_with(|| json!({}));
        path[verb(route)] = operation;
    }

    /// The complete description.
    pub(super) fn finish(mut self) -> Value {
        let mut schemas = self.outputs.take_definitions(true);
        schemas.extend(self.inputs.take_definitions(true));
        schemas.insert("Refusal".to_owned(), refusal());
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "headcount marketplace",
                "version": env!("CARGO_PKG_VERSION"),
                "description": "Buyers post requests, sellers make offers, money waits in escrow.",
            },
            "paths": self.paths,
            "components": {
                "schemas": schemas,
                "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            },
        })
    }
}

fn operation(route: &Route, answer: &Value) -> Value {
    let tag = route.id.split('.').next().unwrap_or_default();
    let status = route.status().to_string();
    let success = json!({
        "description": "Success",
        "content": { "application/json": { "schema": answer } },
    });
    let mut operation = json!({
        "operationId": route.id,
        "summary": route.summary,
        "tags": [tag],
        "parameters": path_parameters(route.path),
        "responses": { (status): success },
    });
    refuse(&mut operation, &["400", "401", "429", "503"]);
    if route.access != Access::Anyone {
        operation["security"] = json!([{ "token": [] }]);
        refuse(&mut operation, &["403"]);
    }
    if route.path.contains('{') {
        refuse(&mut operation, &["403", "404"]);
    }
    operation
}

/// Adds the statuses with which an operation may be refused.
pub(super) fn refuse(operation: &mut Value, statuses: &[&str]) {
    let schema = json!({ "$ref": format!("#{DEFINITIONS}/Refusal") });
    for status in statuses {
        operation["responses"][*status] = json!({
            "description": "Error",
            "content": { "application/json": { "schema": schema } },
        });
    }
}

fn path_parameters(path: &str) -> Vec<Value> {
    let parts = path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let parameter = |name| {
        json!({
            "name": name, "in": "path", "required": true,
            "schema": { "type": "string", "pattern": "^[0-9a-f]{32}$" },
        })
    };
    parts.map(parameter).collect()
}

/// Converts the properties of a query to parameters. Query parameters cannot be null, so null is removed from their
/// types.
fn parameters(query: &Value) -> Vec<Value> {
    let properties = query["properties"].as_object();
    let parameter = |(name, schema): (&String, &Value)| {
        let schema = without_null(schema);
        json!({ "name": name, "in": "query", "required": false, "schema": schema })
    };
    properties.into_iter().flatten().map(parameter).collect()
}

fn without_null(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(kinds) = schema["type"].as_array() {
        let kind = kinds.iter().find(|kind| *kind != "null").cloned();
        schema["type"] = kind.unwrap_or_default();
    }
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        let some = choices
            .iter()
            .find(|choice| choice["type"] != "null")
            .cloned();
        return some.unwrap_or_default();
    }
    schema
}

fn idempotency_key() -> Value {
    json!({
        "name": "Idempotency-Key", "in": "header", "required": false,
        "description": "The same request with the same key is executed once and gets the same response",
        "schema": { "type": "string", "pattern": "^[!-~]{1,200}$" },
    })
}

fn refusal() -> Value {
    let text = json!({ "type": "string" });
    json!({
        "type": "object",
        "required": ["error"],
        "properties": { "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": text, "message": text,
                "subject": text, "state": text,
                "allowed": { "type": "array", "items": text },
            },
        } },
    })
}

fn push(list: &mut Value, item: Value) {
    if let Some(list) = list.as_array_mut() {
        list.push(item);
    }
}

fn verb(route: &Route) -> &'static str {
    match route.verb {
        Verb::Get => "get",
        Verb::Post => "post",
        Verb::Put => "put",
    }
}
