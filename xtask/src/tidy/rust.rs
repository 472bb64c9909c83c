//! A parsed Rust file: its tokens, modules, functions and test lines. Each file is parsed once.

mod calls;
mod scopes;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};

pub(crate) use calls::{Call, Names};
pub(crate) use scopes::Scope;

/// The properties of a file that the checks use.
#[derive(Debug, Default)]
pub(crate) struct Source {
    /// All tokens except comments, each with its line.
    pub(crate) words: Vec<(String, usize)>,
    pub(crate) modules: Vec<Module>,
    /// The file's own module and its inline modules.
    pub(crate) scopes: Vec<Scope>,
    pub(crate) functions: Vec<Function>,
    /// Lines of items under `#[cfg(test)]`.
    pub(crate) test_lines: Vec<RangeInclusive<usize>>,
    /// Lines that contain a string literal, or a part of one.
    pub(crate) string_lines: BTreeSet<usize>,
    /// Number of `//!` lines.
    pub(crate) doc_lines: usize,
}

/// A `mod name;` declaration.
#[derive(Debug)]
pub(crate) struct Module {
    /// Names of the enclosing inline modules, followed by the module's own name.
    pub(crate) path: Vec<String>,
    /// The value of `#[path]`.
    pub(crate) file: Option<String>,
    pub(crate) test: bool,
}

/// A function with a body, in Rust or JavaScript.
#[derive(Debug)]
pub(crate) struct Function {
    /// Name of the function. For a method, the name of the type precedes it.
    pub(crate) name: String,
    pub(crate) line: usize,
    /// Number of lines from the signature to the closing brace.
    pub(crate) length: usize,
}

impl Source {
    /// Parses a file. An error consists of a line and a message.
    pub(crate) fn parse(text: &str) -> Result<Self, (usize, String)> {
        let at = |error: syn::Error| (error.span().start().line, error.to_string());
        let file = syn::parse_file(text).map_err(at)?;
        let mut source = Self::default();
        let tokens: TokenStream = syn::parse_str(text).map_err(at)?;
        note_strings(tokens.clone(), &mut source.string_lines);
        flatten(tokens, &mut source.words);
        source.scopes = scopes::of(&file);
        source.doc_lines = text.lines().filter(|line| line.starts_with("//!")).count();
        Visitor {
            source: &mut source,
            path: Vec::new(),
            owner: Vec::new(),
            test: false,
        }
        .visit_file(&file);
        Ok(source)
    }

    /// Returns the lines on which the sequence of tokens begins.
    pub(crate) fn lines_of<'a>(&'a self, tokens: &'a [&str]) -> impl Iterator<Item = usize> + 'a {
        self.words
            .windows(tokens.len())
            .filter(move |window| {
                window
                    .iter()
                    .map(|(word, _)| word.as_str())
                    .eq(tokens.iter().copied())
            })
            .map(|window| window[0].1)
    }

    pub(crate) fn is_test_line(&self, line: usize) -> bool {
        self.test_lines.iter().any(|range| range.contains(&line))
    }
}

fn flatten(stream: TokenStream, words: &mut Vec<(String, usize)>) {
    for tree in stream {
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                words.push((open.to_owned(), line_of(group.span_open())));
                flatten(group.stream(), words);
                words.push((close.to_owned(), line_of(group.span_close())));
            }
            TokenTree::Ident(ident) => words.push((ident.to_string(), line_of(ident.span()))),
            TokenTree::Punct(punct) => words.push((punct.to_string(), line_of(punct.span()))),
            TokenTree::Literal(literal) => {
                words.push((literal.to_string(), line_of(literal.span())));
            }
        }
    }
}

fn note_strings(stream: TokenStream, lines: &mut BTreeSet<usize>) {
    for tree in stream {
        match tree {
            TokenTree::Group(group) => note_strings(group.stream(), lines),
            TokenTree::Literal(literal) if literal.to_string().contains('"') => {
                lines.extend(line_of(literal.span())..=literal.span().end().line);
            }
            _ => {}
        }
    }
}

fn line_of(span: Span) -> usize {
    span.start().line
}

struct Visitor<'a> {
    source: &'a mut Source,
    path: Vec<String>,
    owner: Vec<String>,
    test: bool,
}

impl Visitor<'_> {
    /// Visits a nested item, and restores the flag for test code afterwards.
    fn within(&mut self, attributes: &[syn::Attribute], span: Span, visit: impl FnOnce(&mut Self)) {
        let outer = self.test;
        if attributes.iter().any(only_in_tests) {
            self.test = true;
            self.source.test_lines.push(line_of(span)..=span.end().line);
        }
        visit(self);
        self.test = outer;
    }

    fn function(&mut self, signature: &syn::Signature, body: &syn::Block) {
        let (line, end) = (line_of(signature.span()), body.span().end().line);
        let name = signature.ident.to_string();
        let name = self
            .owner
            .iter()
            .map(String::as_str)
            .chain([name.as_str()])
            .collect::<Vec<_>>()
            .join("::");
        self.source.functions.push(Function {
            name,
            line,
            length: end - line + 1,
        });
    }

    fn owned_by(&mut self, owner: String, visit: impl FnOnce(&mut Self)) {
        self.owner.push(owner);
        visit(self);
        self.owner.pop();
    }
}

impl<'ast> Visit<'ast> for Visitor<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.path.push(item.ident.to_string());
        self.within(&item.attrs, item.span(), |visitor| {
            if item.content.is_none() {
                let module = Module {
                    path: visitor.path.clone(),
                    file: item.attrs.iter().find_map(path_attribute),
                    test: visitor.test,
                };
                visitor.source.modules.push(module);
            }
            visit::visit_item_mod(visitor, item);
        });
        self.path.pop();
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block);
        self.within(&item.attrs, item.span(), |visitor| {
            visit::visit_item_fn(visitor, item);
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block);
        self.within(&item.attrs, item.span(), |visitor| {
            visit::visit_impl_item_fn(visitor, item);
        });
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.function(&item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let owner = match &*item.self_ty {
            syn::Type::Path(path) => path
                .path
                .segments
                .last()
                .map(|segment| segment.ident.to_string()),
            _ => None,
        };
        self.within(&item.attrs, item.span(), |visitor| {
            visitor.owned_by(owner.unwrap_or_default(), |visitor| {
                visit::visit_item_impl(visitor, item);
            });
        });
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.owned_by(item.ident.to_string(), |visitor| {
            visit::visit_item_trait(visitor, item);
        });
    }
}

/// Whether an attribute marks test code: `#[cfg(test)]`, `#[cfg(all(test, …))]` or `#[test]`.
fn only_in_tests(attribute: &syn::Attribute) -> bool {
    if attribute.path().is_ident("test") {
        return true;
    }
    let syn::Meta::List(list) = &attribute.meta else {
        return false;
    };
    let mut words = Vec::new();
    flatten(list.tokens.clone(), &mut words);
    let has = |wanted: &str| words.iter().any(|(word, _)| word == wanted);
    list.path.is_ident("cfg") && has("test") && !has("not") && !has("any")
}

fn path_attribute(attribute: &syn::Attribute) -> Option<String> {
    let syn::Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    match &pair.value {
        syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Str(text),
            ..
        }) if pair.path.is_ident("path") => Some(text.value()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Source;

    const TEXT: &str = r#"//! One.
//! Two.
mod plain;
mod outer {
    #[cfg(test)]
    mod inner;
}
#[cfg(not(test))]
#[path = "else.rs"]
mod elsewhere;
/// Says `unsafe`, and means no harm.
fn free() {
    let text = "unsafe { Instant::now() }";
}
struct Thing;
impl Thing {
    fn method(&self) {
        Instant::now();
    }
}
#[cfg(test)]
mod tests {
    fn f() { std::process::exit(1) }
}
"#;

    #[test]
    fn modules_are_found_with_their_place_and_whether_they_are_tests() {
        let source = Source::parse(TEXT).unwrap();
        let found: Vec<_> = source
            .modules
            .iter()
            .map(|module| (module.path.join("/"), module.test))
            .collect();
        let expected = [
            ("plain", false),
            ("outer/inner", true),
            ("elsewhere", false),
        ];
        assert_eq!(found, expected.map(|(path, test)| (path.to_owned(), test)));
        assert_eq!(source.modules[2].file.as_deref(), Some("else.rs"));
    }

    #[test]
    fn functions_are_measured_from_signature_to_brace_and_named_after_their_type() {
        let source = Source::parse(TEXT).unwrap();
        let found: Vec<_> = source
            .functions
            .iter()
            .map(|f| (f.name.as_str(), f.line, f.length))
            .collect();
        assert_eq!(
            found,
            [("free", 12, 3), ("Thing::method", 17, 3), ("f", 23, 1)]
        );
    }

    #[test]
    fn words_in_comments_and_strings_are_not_code() {
        let source = Source::parse(TEXT).unwrap();
        assert_eq!(source.lines_of(&["unsafe"]).count(), 0);
        assert_eq!(
            source
                .lines_of(&["Instant", ":", ":", "now"])
                .collect::<Vec<_>>(),
            [18]
        );
        assert!(source.is_test_line(23) && !source.is_test_line(18));
        assert_eq!(source.doc_lines, 2);
    }

    #[test]
    fn a_file_that_does_not_parse_says_where() {
        assert_eq!(Source::parse("fn a() {}\nfn (").unwrap_err().0, 2);
    }
}
