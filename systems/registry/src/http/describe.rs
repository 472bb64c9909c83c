use schemars::JsonSchema;
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

use super::operation::Operation;

const DEFINITIONS: &str = "/components/schemas";

/// A stream, which has no JSON response.
#[derive(Clone, Copy, Debug)]
pub(super) struct StreamRoute {
    pub(super) id: &'static str,
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) status: &'static str,
    pub(super) content_type: &'static str,
}

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
    pub(super) fn operation<O: Operation>(&mut self, path: &'static str) {
        let body = self.inputs.subschema_for::<O::Body>();
        let answer = self.outputs.subschema_for::<O::Answer>();
        let mut operation = json!({
            "operationId": O::ID,
            "summary": O::SUMMARY,
            "security": [{ "token": [] }, {}],
            "parameters": [namespace()],
            "requestBody": {
                "required": true,
                "content": { "application/json": { "schema": body } },
            },
            "responses": { "200": {
                "description": "Success",
                "content": { "application/json": { "schema": answer } },
            } },
        });
        refuse(
            &mut operation,
            &["400", "401", "404", "413", "415", "429", "503"],
        );
        refuse(&mut operation, O::REFUSALS);
        self.paths
            .insert(path.to_owned(), json!({ "post": operation }));
    }

    pub(super) fn stream<Q: JsonSchema>(&mut self, route: StreamRoute) {
        let mut parameters = vec![namespace()];
        parameters.extend(query(&json!(self.inputs.root_schema_for::<Q>())));
        let success =
            json!({ "description": "Stream opened", "content": { (route.content_type): {} } });
        let mut operation = json!({
            "operationId": route.id,
            "summary": route.summary,
            "security": [{ "token": [] }, {}],
            "parameters": parameters,
            "responses": { (route.status): success },
        });
        refuse(&mut operation, &["400", "401", "404", "429", "503"]);
        self.paths
            .insert(route.path.to_owned(), json!({ "get": operation }));
    }

    /// The complete description.
    pub(super) fn finish(mut self) -> Value {
        let mut schemas = self.outputs.take_definitions(true);
        schemas.extend(self.inputs.take_definitions(true));
        schemas.insert("Refusal".to_owned(), refusal());
        json!({
            "openapi": "3.1.0",
            "info": {
                "title": "headcount registry",
                "version": env!("CARGO_PKG_VERSION"),
                "description": "Identities register with metadata, are found by filters, and receive multicast messages.",
            },
            "paths": self.paths,
            "components": {
                "schemas": schemas,
                "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            },
        })
    }
}

fn namespace() -> Value {
    json!({
        "name": "namespace", "in": "path", "required": true,
        "schema": { "type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$" },
    })
}

/// Adds the statuses with which an operation may be refused.
fn refuse(operation: &mut Value, statuses: &[&str]) {
    let schema = json!({ "$ref": format!("#{DEFINITIONS}/Refusal") });
    for status in statuses {
        operation["responses"][*status] = json!({
            "description": "Error",
            "content": { "application/json": { "schema": schema } },
        });
    }
}

/// Converts the properties of a query to parameters. Query parameters cannot be null, so null is removed from their
/// types.
fn query(schema: &Value) -> Vec<Value> {
    let definitions = &schema["$defs"];
    let required = schema["required"].as_array();
    let properties = schema["properties"].as_object();
    let parameter = |(name, schema): (&String, &Value)| {
        let is_required = required.is_some_and(|names| names.iter().any(|known| known == name));
        let named = schema["$ref"]
            .as_str()
            .and_then(|path| path.rsplit('/').next());
        let schema = named.map_or(schema, |name| &definitions[name]);
        let mut schema = schema.clone();
        if let Some(kinds) = schema["type"].as_array() {
            let kind = kinds.iter().find(|kind| *kind != "null").cloned();
            schema["type"] = kind.unwrap_or_default();
        }
        json!({ "name": name, "in": "query", "required": is_required, "schema": schema })
    };
    properties.into_iter().flatten().map(parameter).collect()
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
                "at": { "type": "string", "description": "JSON pointer of the wrong part of a filter" },
            },
        } },
    })
}
