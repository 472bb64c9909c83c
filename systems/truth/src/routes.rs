use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::order::Order;
use crate::route::Route;

/// All requested paths, each with its own state. Paths that differ in any way, even in an unused query, are
/// independent.
#[derive(Debug)]
pub(crate) struct Routes {
    by_target: HashMap<String, usize>,
    all: Vec<Route>,
    limit: usize,
}

impl Routes {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            by_target: HashMap::new(),
            all: Vec::new(),
            limit,
        }
    }

    /// Returns the route of a path with its query, or the status and message of a refusal.
    pub(crate) fn find(&mut self, target: &str) -> Result<usize, (u16, String)> {
        if let Some(found) = self.by_target.get(target) {
            return Ok(*found);
        }
        let path = target.split('?').next().unwrap_or_default();
        let order = Order::read(path).ok_or_else(|| {
            let words = format!("unknown path `{path}`: see docs/reference/truth.md");
            (404, words)
        })?;
        let order = order.map_err(|error| (400, error.to_string()))?;
        if self.all.len() >= self.limit {
            return Err((503, format!("more than {} different paths", self.limit)));
        }
        self.all.push(Route::new(order));
        let key = self.all.len() - 1;
        self.by_target.insert(target.to_owned(), key);
        Ok(key)
    }

    pub(crate) fn get(&mut self, key: usize) -> Option<&mut Route> {
        self.all.get_mut(key)
    }

    /// Restarts every route and resets its counts.
    pub(crate) fn forget(&mut self) {
        self.all.iter_mut().for_each(Route::forget);
    }

    /// The routes that were used, keyed by path.
    pub(crate) fn to_json(&self) -> Value {
        let mut routes: Vec<_> = self.by_target.iter().collect();
        routes.sort();
        let mut shown = Map::new();
        for (target, key) in routes {
            if let Some(route) = self.all.get(*key).filter(|route| route.counts.requests > 0) {
                shown.insert(target.clone(), route.to_json());
            }
        }
        Value::Object(shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_in_its_query_has_a_state_of_its_own() {
        let mut routes = Routes::new(2);
        let a = routes.find("/delay/1ms?a").unwrap();
        assert_ne!(routes.find("/delay/1ms?b").unwrap(), a);
        assert_eq!(routes.find("/delay/1ms?a").unwrap(), a);
        assert_eq!(routes.find("/delay/1ms?c").unwrap_err().0, 503);
        assert_eq!(routes.find("/dealy/1ms").unwrap_err().0, 404);
        assert_eq!(routes.find("/delay/1").unwrap_err().0, 400);
    }
}
