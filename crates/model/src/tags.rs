//! Names of requests with tags: `GET /items{region=eu}`.

use std::fmt::Write as _;

/// Maximum number of characters of a tag's key, and of its value.
pub const TAG_LIMIT: usize = 50;

/// Stands for tags that are not counted separately, because there are too many: `GET /items{further tags}`.
const FURTHER: &str = "{further tags}";

/// Whether a text can be the key or the value of a tag.
pub fn is_tag_part(text: &str) -> bool {
    let fits = (1..=TAG_LIMIT).contains(&text.chars().count()) && text.trim() == text;
    fits && !text.contains(|letter: char| "{}=,".contains(letter) || letter.is_control())
}

/// Appends tags to a name, ordered by key. Of several tags with the same key, the first is used.
pub fn with_tags<'t>(name: &str, tags: impl IntoIterator<Item = (&'t str, &'t str)>) -> String {
    let mut tags: Vec<_> = tags.into_iter().collect();
    tags.sort_by_key(|(key, _)| *key);
    tags.dedup_by_key(|(key, _)| *key);
    let mut whole = name.to_owned();
    for (number, (key, value)) in tags.iter().enumerate() {
        let mark = if number == 0 { '{' } else { ',' };
        let _ = write!(whole, "{mark}{key}={value}");
    }
    if !tags.is_empty() {
        whole.push('}');
    }
    whole
}

/// Splits a name into the name without tags, and the tags. The tags are empty if they are not counted separately, or if
/// there are none.
pub fn split_tags(name: &str) -> (&str, Vec<(&str, &str)>) {
    if let Some(before) = name.strip_suffix(FURTHER) {
        return (before, Vec::new());
    }
    let split = || {
        let (before, inner) = name.strip_suffix('}')?.rsplit_once('{')?;
        let tags: Option<Vec<_>> = inner.split(',').map(tag).collect();
        Some((before.trim_end(), tags?))
    };
    split().unwrap_or((name, Vec::new()))
}

fn tag(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once('=')?;
    let (key, value) = (key.trim(), value.trim());
    (is_tag_part(key) && is_tag_part(value)).then_some((key, value))
}

/// The name that replaces a name with tags if there are too many tags to count them separately. `None` if the name has
/// no tags.
pub fn with_further_tags(name: &str) -> Option<String> {
    let (before, tags) = split_tags(name);
    (!tags.is_empty()).then(|| format!("{before}{FURTHER}"))
}

/// Selects requests by name and tags: `GET /items`, `GET /items{region=eu}` or `{region=eu}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagFilter<'a> {
    name: &'a str,
    tags: Vec<(&'a str, &'a str)>,
}

impl<'a> TagFilter<'a> {
    /// The filter for a name as users write it.
    pub fn of(name: &'a str) -> Self {
        let (name, tags) = split_tags(name);
        Self { name, tags }
    }

    /// Whether the filter selects the requests that are counted as `counted`. They need the filter's name, if it has
    /// one, and all of its tags.
    pub fn selects(&self, counted: &str) -> bool {
        let (name, tags) = split_tags(counted);
        self.is_name(name) && self.tags.iter().all(|tag| tags.contains(tag))
    }

    /// Whether the filter may select some of the requests that are counted as `counted`, because their tags are not
    /// counted separately.
    pub fn may_select(&self, counted: &str) -> bool {
        let name = counted.strip_suffix(FURTHER);
        !self.tags.is_empty() && name.is_some_and(|name| self.is_name(name))
    }

    fn is_name(&self, name: &str) -> bool {
        self.name.is_empty() || self.name == name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_appended_in_order_and_split_again() {
        let tags = [("role", "buyer"), ("region", "eu"), ("role", "seller")];
        let name = with_tags("GET /items/{id}", tags);
        assert_eq!(name, "GET /items/{id}{region=eu,role=buyer}");
        let tags = vec![("region", "eu"), ("role", "buyer")];
        assert_eq!(split_tags(&name), ("GET /items/{id}", tags));
        assert_eq!(with_tags("GET /", []), "GET /");
    }

    #[test]
    fn braces_that_hold_no_tags_are_part_of_the_name() {
        for name in [
            "GET /items/{id}",
            "{}",
            "a{b=}",
            "a{=b}",
            "a{b=c}d",
            "}",
            "a{b=c,}",
            "a{b=c=d}",
        ] {
            assert_eq!(split_tags(name), (name, Vec::new()), "{name}");
        }
    }

    #[test]
    fn a_filter_selects_by_name_and_by_tags() {
        let check = |filter: &str, counted: &str, selected: bool| {
            assert_eq!(
                TagFilter::of(filter).selects(counted),
                selected,
                "{filter} {counted}"
            );
        };
        for counted in [
            "GET /",
            "GET /{a=1}",
            "GET /{a=2,b=3}",
            "GET /{further tags}",
        ] {
            check("GET /", counted, true);
            check("GET /i", counted, false);
            check("GET /{b=3}", counted, counted.contains("b=3"));
            check("{a=1}", counted, counted.contains("a=1"));
            check("GET /{ b = 3 , a = 2 }", counted, counted.contains("b=3"));
            check("{a=1,b=3}", counted, false);
        }
        check("{a=1}", "POST /{a=1}", true);
        check("GET /{a=1}", "POST /{a=1}", false);
    }

    #[test]
    fn further_tags_may_be_any() {
        let further = with_further_tags("GET /{a=1}").unwrap();
        assert_eq!(with_further_tags("GET /"), None);
        let may = |filter: &str| TagFilter::of(filter).may_select(&further);
        assert!(may("{a=1}") && may("GET /{b=2}"));
        assert!(!may("GET /") && !may("POST /{a=1}"));
    }

    #[test]
    fn parts_of_a_tag_are_short_and_have_no_marks() {
        for good in ["eu", "New York", "a-b_c.d/e:f", "ü", &"x".repeat(50)] {
            assert!(is_tag_part(good), "{good}");
        }
        for bad in [
            "",
            " a",
            "a ",
            "a=b",
            "a,b",
            "{",
            "}",
            "a\nb",
            &"x".repeat(51),
        ] {
            assert!(!is_tag_part(bad), "{bad}");
        }
    }
}
