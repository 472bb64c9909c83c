use serde_json::{Map, Value};

use super::scalar::Scalar;
use super::{
    DEEPEST, Filter, LONGEST_PATH, MOST_CLAUSES, MOST_OBJECTS, MOST_VALUES, Node, Path, Test,
};

/// The operators, as suffixes of a field (`age.gte`) or as keys below it (`{"age": {"gte": 18}}`).
const OPERATORS: [&str; 11] = [
    "eq",
    "ne",
    "lt",
    "lte",
    "gt",
    "gte",
    "startswith",
    "endswith",
    "contains",
    "in",
    "exists",
];

/// Reason why a filter is refused, with the JSON pointer of the part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at `{at}`: {why}")]
pub(crate) struct FilterError {
    /// A JSON pointer (RFC 6901) into the filter.
    pub(crate) at: String,
    pub(crate) why: String,
}

impl Filter {
    /// Reads a filter. An empty object matches everything.
    pub(crate) fn read(value: &Value) -> Result<Self, FilterError> {
        let mut reader = Reader {
            clauses: 0,
            objects: 0,
        };
        reader.object(value, &Place::default(), 1).map(Self)
    }
}

/// The position in the filter.
#[derive(Clone, Debug, Default)]
struct Place(String);

impl Place {
    fn below(&self, key: &str) -> Self {
        let escaped = key.replace('~', "~0").replace('/', "~1");
        Self(format!("{}/{escaped}", self.0))
    }

    fn refuse<T>(&self, why: impl Into<String>) -> Result<T, FilterError> {
        let at = if self.0.is_empty() { "/" } else { &self.0 };
        Err(FilterError {
            at: at.to_owned(),
            why: why.into(),
        })
    }
}

struct Reader {
    clauses: usize,
    objects: usize,
}

impl Reader {
    /// Reads an object whose entries must all hold.
    fn object(&mut self, value: &Value, place: &Place, depth: usize) -> Result<Node, FilterError> {
        let Value::Object(entries) = value else {
            return place.refuse(format!("expected an object, got {}", kind(value)));
        };
        self.objects += 1;
        if self.objects > MOST_OBJECTS {
            return place.refuse(format!("a filter may have at most {MOST_OBJECTS} objects"));
        }
        let mut nodes = Vec::new();
        for (key, value) in entries {
            self.entry(key, value, &place.below(key), depth, &mut nodes)?;
        }
        Ok(match nodes.pop() {
            Some(only) if nodes.is_empty() => only,
            last => Node::All(nodes.into_iter().chain(last).collect()),
        })
    }

    fn entry(
        &mut self,
        key: &str,
        value: &Value,
        place: &Place,
        depth: usize,
        nodes: &mut Vec<Node>,
    ) -> Result<(), FilterError> {
        match key {
            "$and" => nodes.push(Node::All(self.list(value, place, depth)?)),
            "$or" => nodes.push(Node::Any(self.list(value, place, depth)?)),
            "$not" => {
                let inner = self.object(value, place, deeper(depth, place)?)?;
                nodes.push(Node::Not(Box::new(inner)));
            }
            "metadata.exists" => {
                let Value::String(field) = value else {
                    return place.refuse("`metadata.exists` expects the name of a field");
                };
                nodes.push(self.clause(path(field, place)?, Test::Exists(true), place)?);
            }
            _ if key.starts_with('$') => {
                return place.refuse("unknown operator: expected $and, $or or $not");
            }
            _ => self.field(key, value, place, nodes)?,
        }
        Ok(())
    }

    fn list(
        &mut self,
        value: &Value,
        place: &Place,
        depth: usize,
    ) -> Result<Vec<Node>, FilterError> {
        let Value::Array(items) = value else {
            return place.refuse(format!("expected an array of filters, got {}", kind(value)));
        };
        let depth = deeper(depth, place)?;
        let items = items.iter().enumerate();
        items
            .map(|(n, item)| self.object(item, &place.below(&n.to_string()), depth))
            .collect()
    }

    /// Reads `"field": value`, `"field.operator": value` or `"field": {"operator": value, …}`.
    fn field(
        &mut self,
        key: &str,
        value: &Value,
        place: &Place,
        nodes: &mut Vec<Node>,
    ) -> Result<(), FilterError> {
        if let Value::Object(operators) = value {
            return self.operators(key, operators, place, nodes);
        }
        let suffix = key.rsplit_once('.').filter(|(_, o)| OPERATORS.contains(o));
        let (field, operator) = suffix.unwrap_or((key, "eq"));
        let test = test(operator, value, place)?;
        nodes.push(self.clause(path(field, place)?, test, place)?);
        Ok(())
    }

    fn operators(
        &mut self,
        field: &str,
        operators: &Map<String, Value>,
        place: &Place,
        nodes: &mut Vec<Node>,
    ) -> Result<(), FilterError> {
        if operators.is_empty() {
            return place
                .refuse("expected a value or an object with operators, got an empty object");
        }
        for (operator, value) in operators {
            let place = place.below(operator);
            let operator = operator.strip_prefix('$').unwrap_or(operator);
            if !OPERATORS.contains(&operator) {
                let known = OPERATORS.join(", ");
                return place.refuse(format!("unknown operator: expected one of {known}"));
            }
            let test = test(operator, value, &place)?;
            nodes.push(self.clause(path(field, &place)?, test, &place)?);
        }
        Ok(())
    }

    fn clause(&mut self, path: Path, test: Test, place: &Place) -> Result<Node, FilterError> {
        self.clauses += 1;
        if self.clauses > MOST_CLAUSES {
            return place.refuse(format!(
                "a filter may have at most {MOST_CLAUSES} conditions"
            ));
        }
        Ok(Node::Clause(path, test))
    }
}

fn deeper(depth: usize, place: &Place) -> Result<usize, FilterError> {
    if depth >= DEEPEST {
        return place.refuse(format!("a filter may be at most {DEEPEST} levels deep"));
    }
    Ok(depth + 1)
}

fn path(field: &str, place: &Place) -> Result<Path, FilterError> {
    let keys = field.split('.').take(LONGEST_PATH + 1);
    let keys: Vec<String> = keys.map(str::to_owned).collect();
    if keys.len() > LONGEST_PATH {
        return place.refuse(format!("a field may have at most {LONGEST_PATH} keys"));
    }
    if keys.iter().any(String::is_empty) {
        return place.refuse("a field must have a name before and after each dot");
    }
    Ok(Path(keys))
}

fn test(operator: &str, value: &Value, place: &Place) -> Result<Test, FilterError> {
    Ok(match operator {
        "eq" => Test::Equal(scalar(value, place)?),
        "ne" => Test::NotEqual(scalar(value, place)?),
        "lt" => Test::Less(ordered(value, place)?),
        "lte" => Test::LessOrEqual(ordered(value, place)?),
        "gt" => Test::Greater(ordered(value, place)?),
        "gte" => Test::GreaterOrEqual(ordered(value, place)?),
        "startswith" => Test::StartsWith(text(value, place)?),
        "endswith" => Test::EndsWith(text(value, place)?),
        "contains" => Test::Contains(scalar(value, place)?),
        "in" => Test::In(values(value, place)?),
        _ => match value {
            Value::Bool(wanted) => Test::Exists(*wanted),
            other => {
                let got = kind(other);
                return place.refuse(format!("`exists` expects true or false, got {got}"));
            }
        },
    })
}

fn scalar(value: &Value, place: &Place) -> Result<Scalar, FilterError> {
    match Scalar::of(value) {
        Some(scalar) => Ok(scalar),
        None => place.refuse(format!(
            "expected a string, a number, true, false or null, got {}",
            kind(value)
        )),
    }
}

fn ordered(value: &Value, place: &Place) -> Result<Scalar, FilterError> {
    match scalar(value, place)? {
        scalar @ (Scalar::Number(_) | Scalar::Text(_)) => Ok(scalar),
        _ => place.refuse(format!(
            "expected a number or a string, got {}",
            kind(value)
        )),
    }
}

fn text(value: &Value, place: &Place) -> Result<String, FilterError> {
    match value {
        Value::String(text) => Ok(text.clone()),
        other => place.refuse(format!("expected a string, got {}", kind(other))),
    }
}

fn values(value: &Value, place: &Place) -> Result<Vec<Scalar>, FilterError> {
    let Value::Array(items) = value else {
        return place.refuse(format!("`in` expects an array, got {}", kind(value)));
    };
    if items.len() > MOST_VALUES {
        return place.refuse(format!("`in` accepts at most {MOST_VALUES} values"));
    }
    let items = items.iter().enumerate();
    items
        .map(|(n, item)| scalar(item, &place.below(&n.to_string())))
        .collect()
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
