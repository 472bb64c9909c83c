use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::Filter;

fn matches(filter: &Value, metadata: &Value) -> bool {
    let metadata = metadata.as_object().unwrap();
    Filter::read(filter).unwrap().matches(metadata)
}

fn refusal(filter: &Value) -> (String, String) {
    let error = Filter::read(filter).unwrap_err();
    (error.at, error.why)
}

#[test]
fn every_operator_in_both_forms_against_a_table() {
    let metadata = json!({
        "status": "online", "age": 30, "score": 1.5, "admin": false, "none": null,
        "tags": ["red", 7], "home": { "city": "Ulm", "geo": { "lat": 48.4 } },
    });
    let table = [
        (json!({ "status": "online" }), true),
        (json!({ "status": "ONLINE" }), false),
        (json!({ "status": "online", "age": 31 }), false),
        (json!({ "status.ne": "away" }), true),
        (json!({ "age.ne": "30" }), false), // another type
        (json!({ "missing.ne": 1 }), false),
        (json!({ "$not": { "missing": 1 } }), true),
        (json!({ "age.lt": 31 }), true),
        (json!({ "age.lt": 30 }), false),
        (json!({ "age.lte": 30.0 }), true),
        (json!({ "age": { "gte": 30, "lt": 31 } }), true),
        (json!({ "age": { "$gt": 30 } }), false),
        (json!({ "status.gt": "a" }), true),
        (json!({ "age.gt": "a" }), false),
        (json!({ "status.startswith": "on" }), true),
        (json!({ "status.endswith": "line" }), true),
        (json!({ "status.contains": "nli" }), true),
        (json!({ "status.contains": "" }), true),
        (json!({ "tags.contains": "red" }), true),
        (json!({ "tags.contains": 7 }), true),
        (json!({ "tags.contains": "re" }), false),
        (json!({ "age.contains": 30 }), false),
        (json!({ "age.in": [1, 30] }), true),
        (json!({ "age.in": [] }), false),
        (json!({ "none": null }), true),
        (json!({ "none.exists": true }), true),
        (json!({ "missing.exists": false }), true),
        (json!({ "metadata.exists": "home.geo.lat" }), true),
        (json!({ "metadata.exists": "home.geo.lon" }), false),
        (json!({ "home.city": "Ulm" }), true),
        (json!({ "home.geo.lat.gt": 48 }), true),
        (json!({ "home": { "exists": true } }), true),
        (json!({ "status.x": 1 }), false),
        (json!({ "admin": false }), true),
        (json!({ "admin.lt": 1 }), false),
        (json!({}), true),
        (json!({ "$and": [] }), true),
        (json!({ "$or": [] }), false),
        (
            json!({ "$or": [{ "age": 1 }, { "$and": [{ "age": 30 }, { "admin": false }] }] }),
            true,
        ),
    ];
    for (filter, expected) in table {
        assert_eq!(matches(&filter, &metadata), expected, "{filter}");
    }
}

#[test]
fn errors_point_at_the_wrong_part() {
    let table = [
        (json!([]), "/"),
        (json!({ "a": [] }), "/a"),
        (json!({ "a": {} }), "/a"),
        (json!({ "a": { "like": 1 } }), "/a/like"),
        (json!({ "a.lt": true }), "/a.lt"),
        (json!({ "a.exists": 1 }), "/a.exists"),
        (json!({ "a.in": [1, {}] }), "/a.in/1"),
        (json!({ "$or": [{ "a": 1 }, 5] }), "/$or/1"),
        (json!({ "$nor": [] }), "/$nor"),
        (json!({ "a..b": 1 }), "/a..b"),
        (json!({ "a/b~c": {} }), "/a~1b~0c"),
        (
            json!({ "$and": [{ "x": { "startswith": 3 } }] }),
            "/$and/0/x/startswith",
        ),
    ];
    for (filter, at) in table {
        assert_eq!(refusal(&filter).0, at, "{filter}");
    }
}

#[test]
fn depth_and_number_of_conditions_are_limited() {
    let nested =
        |levels: usize| (0..levels).fold(json!({ "a": 1 }), |inner, _| json!({ "$not": inner }));
    assert!(Filter::read(&nested(4)).is_ok());
    let (at, why) = refusal(&nested(5));
    assert_eq!(at, "/$not/$not/$not/$not/$not");
    assert!(why.contains("5 levels"), "{why}");
    let wide = |clauses: usize| {
        let clauses = (0..clauses).map(|n| (format!("f{n}"), Value::from(n)));
        Value::Object(clauses.collect())
    };
    assert!(Filter::read(&wide(20)).is_ok());
    assert!(refusal(&wide(21)).1.contains("20 conditions"));
}

/// Each of these would be evaluated for every identity.
#[test]
fn parts_without_conditions_and_long_paths_are_limited() {
    let list = |item: Value, count: usize| json!({ "$and": vec![item; count] });
    assert!(Filter::read(&list(json!({}), 99)).is_ok());
    for item in [json!({}), json!({ "$or": [] }), json!({ "$not": {} })] {
        assert!(refusal(&list(item, 100)).1.contains("100 objects"));
    }
    let path = |keys: usize| json!({ vec!["a"; keys].join("."): 1 });
    assert!(Filter::read(&path(128)).is_ok());
    assert!(refusal(&path(129)).1.contains("128 keys"));
}

/// Random metadata over few keys and values, so that filters often match.
pub(crate) fn metadata() -> impl Strategy<Value = Map<String, Value>> {
    let scalar = scalar();
    let inner = proptest::collection::btree_map("[ab]", scalar.clone(), 0..3)
        .prop_map(|map| Value::Object(map.into_iter().collect()));
    let list = proptest::collection::vec(scalar.clone(), 0..3).prop_map(Value::Array);
    let value = prop_oneof![4 => scalar, 1 => inner, 1 => list];
    proptest::collection::btree_map("[abc]", value, 0..4).prop_map(|map| map.into_iter().collect())
}

fn scalar() -> impl Strategy<Value = Value> + Clone {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2i64..3).prop_map(Value::from),
        prop_oneof![Just(0.5), Just(-1.0), Just(1e20)].prop_map(|n: f64| Value::from(n)),
        any::<i64>().prop_map(Value::from),
        "[abü]{0,3}".prop_map(Value::from),
    ]
}

/// Random filters within the limits.
pub(crate) fn filter() -> impl Strategy<Value = Value> {
    let path = prop_oneof!["[abc]", "[abc]\\.[ab]"];
    let clause = (path, 0usize..11, scalar(), scalar()).prop_map(|(path, operator, one, other)| {
        let ordered = |value: &Value| match value {
            Value::Number(_) | Value::String(_) => value.clone(),
            _ => Value::from("a"),
        };
        let text = |value: &Value| Value::from(value.as_str().unwrap_or("a"));
        let (operator, value) = match operator {
            0 => ("eq", one),
            1 => ("ne", one),
            2 => ("lt", ordered(&one)),
            3 => ("lte", ordered(&one)),
            4 => ("gt", ordered(&one)),
            5 => ("gte", ordered(&one)),
            6 => ("startswith", text(&one)),
            7 => ("endswith", text(&one)),
            8 => ("contains", one),
            9 => ("in", json!([one, other])),
            _ => ("exists", json!(one.is_null())),
        };
        json!({ format!("{path}.{operator}"): value })
    });
    clause.prop_recursive(3, 12, 3, |inner| {
        let list = proptest::collection::vec(inner.clone(), 0..3);
        prop_oneof![
            list.clone().prop_map(|list| json!({ "$and": list })),
            list.prop_map(|list| json!({ "$or": list })),
            inner.prop_map(|inner| json!({ "$not": inner })),
        ]
    })
}

proptest! {
    #[test]
    fn the_laws_of_logic_hold(a in filter(), b in filter(), data in metadata()) {
        let data = Value::Object(data);
        let holds = |filter: Value| matches(&filter, &data);
        let (left, right) = (holds(a.clone()), holds(b.clone()));
        prop_assert_eq!(holds(json!({ "$and": [a, b] })), left && right);
        prop_assert_eq!(holds(json!({ "$or": [a, b] })), left || right);
        prop_assert_eq!(holds(json!({ "$not": a })), !left);
    }

    #[test]
    fn any_json_is_read_or_refused_without_panic(text in "[\\[\\]{}\",:$.a-f0-9 ]{0,60}") {
        if let Ok(value) = serde_json::from_str::<Value>(&text) {
            let _ = Filter::read(&value);
        }
    }
}
