//! How users form groups: `group` (a size or roles) or `groups` (a number of groups).

use serde_json::Value;

use super::section::{Field, Section};
use super::values::whole;
use crate::problem::{Flaw, Problems, quoted};

/// Maximum number of users of a level.
pub(super) const MOST_USERS: u32 = 1_000_000;

/// The members of the type `Group` in `headcount.d.ts`. No role may have one of these names.
const MEMBERS: [&str; 15] = [
    "active",
    "id",
    "number",
    "iteration",
    "level",
    "users",
    "setup",
    "everyone",
    "together",
    "eventually",
    "step",
    "check",
    "channel",
    "think",
    "random",
];

/// Words with a special meaning in JavaScript, which cannot name a role. Scripts destructure roles by name (`{ buyer }:
/// Group`), and a role `then` would turn the group into a promise.
const RESERVED: [&str; 51] = [
    "then",
    "constructor",
    "prototype",
    "__proto__",
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "yield",
];

/// How users form groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Groups of this many users. A group of 1 is the usual virtual user.
    Size(u32),
    /// Groups with roles, in the user's order, each with its number of users.
    Roles(Vec<(String, u32)>),
    /// Exactly this many groups. The users of a level are divided among them.
    Count(u32),
}

impl Grouping {
    /// The number of users of a group, if it is the same in all groups.
    pub fn size(&self) -> Option<u32> {
        match self {
            Self::Size(size) => Some(*size),
            Self::Roles(roles) => Some(roles.iter().map(|(_, users)| users).sum()),
            Self::Count(_) => None,
        }
    }
}

/// Reads `group` and `groups`. By default, and after a problem, the result is a group of one.
pub(super) fn read(root: &Section<'_>, problems: &mut Problems) -> Grouping {
    let (group, groups) = (root.field("group"), root.field("groups"));
    if group.value.is_some() && groups.value.is_some() {
        let flaw = Flaw::with_hint(
            "cannot be combined with `group`",
            "`group` sets the size of each group, `groups` the number of groups: keep one",
        );
        groups.refuse(problems, flaw);
    }
    let count = groups.read_some(problems, |value| whole(value, 1, MOST_USERS));
    match (group.value, count) {
        (Some(Value::Object(_)), _) => Grouping::Roles(roles(&group, problems)),
        (None, Some(count)) => Grouping::Count(count),
        _ => Grouping::Size(group.read(problems, 1, |value| match value {
            Value::Number(_) => whole(value, 1, MOST_USERS),
            other => Err(Flaw::new(format!(
                "expected a number of users or roles such as {{ buyer: 1, sellers: 3 }}, got {}",
                super::values::describe(other)
            ))),
        })),
    }
}

fn roles(group: &Field<'_>, problems: &mut Problems) -> Vec<(String, u32)> {
    let mut roles = Vec::new();
    for (name, field) in group.open_free(problems).entries() {
        if let Err(flaw) = check_role(name) {
            field.refuse(problems, flaw);
        }
        let users = field.read(problems, 1, |value| whole(value, 1, MOST_USERS));
        roles.push((name.clone(), users));
    }
    let total: u64 = roles.iter().map(|(_, users)| u64::from(*users)).sum();
    if roles.is_empty() {
        group.refuse(
            problems,
            Flaw::new("has no roles: expected e.g. { buyer: 1, sellers: 3 }"),
        );
    } else if total > u64::from(MOST_USERS) {
        group.refuse(
            problems,
            Flaw::new(format!("has {total} users, more than 1,000,000")),
        );
    } else {
        return roles;
    }
    vec![(String::new(), 1)]
}

fn check_role(name: &str) -> Result<(), Flaw> {
    let start = |c: char| c.is_alphabetic() || c == '_' || c == '$';
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    if !name.starts_with(start) || !name.chars().all(part) {
        let message = format!("role {} is not an identifier", quoted(name));
        return Err(Flaw::with_hint(
            message,
            "use letters, digits, `_` and `$`, but do not begin with a digit",
        ));
    }
    if MEMBERS.contains(&name) {
        let message = format!("role `{name}` has the same name as a property of every group");
        return Err(Flaw::with_hint(
            message,
            "choose another name, such as the activity of the person",
        ));
    }
    if RESERVED.contains(&name) {
        return Err(Flaw::new(format!(
            "role `{name}` has a special meaning in JavaScript"
        )));
    }
    Ok(())
}
