//! The modules of a parsed file, with their items, imports and paths. Code under `#[cfg(test)]` is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::mem;

use proc_macro2::Span;
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, Item, UseTree, Visibility};

use super::calls::{Calls, Known, Names, names_of};
use super::{flatten, line_of, only_in_tests};

/// One module of a file: the file itself or an inline module.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    /// Names of the enclosing inline modules and of the module itself. Empty for the file itself.
    pub(crate) within: Names,
    /// Names of the items that the module defines, with their lines.
    pub(crate) items: BTreeMap<String, usize>,
    pub(crate) uses: Vec<Use>,
    /// Paths in the code that may lead to another module, with the first line of each.
    pub(crate) paths: BTreeMap<Names, usize>,
    /// Names of structs, with the number of their fields.
    pub(crate) structs: Vec<(String, usize)>,
    /// The types of inherent `impl` blocks.
    pub(crate) impls: Vec<Names>,
    pub(crate) calls: Calls,
}

/// A name that a `use` brings into a module.
#[derive(Debug)]
pub(crate) struct Use {
    /// The name in this module, or `*`.
    pub(crate) name: String,
    /// What the name stands for. For `*`, the path before it.
    pub(crate) path: Names,
    pub(crate) line: usize,
    /// Whether other modules can use the name too (`pub use`).
    pub(crate) exported: bool,
}

/// Returns the modules of a file.
pub(super) fn of(file: &syn::File) -> Vec<Scope> {
    let mut collector = Collector::default();
    collector.module(Names::new(), &file.items);
    collector.found
}

#[derive(Default)]
struct Collector {
    /// The module that is being visited.
    current: Scope,
    /// Names that the current module exports from others.
    exported: BTreeSet<String>,
    known: Known,
    found: Vec<Scope>,
}

impl Collector {
    fn module(&mut self, within: Names, items: &[Item]) {
        let scope = Scope {
            within,
            ..Scope::default()
        };
        let outer = mem::replace(&mut self.current, scope);
        let uses = items.iter().filter_map(|item| match item {
            Item::Use(item) if !is_test(&item.attrs) => Some(item),
            _ => None,
        });
        // The imports come first, because they decide which paths of the code matter.
        uses.for_each(|item| self.note_use(item));
        let exported = self.current.uses.iter().filter(|one| one.exported);
        let exported = exported.map(|one| one.name.clone()).collect();
        let outer_exported = mem::replace(&mut self.exported, exported);
        for item in items.iter().filter(|item| !matches!(item, Item::Use(_))) {
            self.visit_item(item);
        }
        self.exported = outer_exported;
        self.found.push(mem::replace(&mut self.current, outer));
    }

    fn note_use(&mut self, item: &syn::ItemUse) {
        if item.leading_colon.is_none() {
            let exported = !matches!(item.vis, Visibility::Inherited);
            leaves(&item.tree, &Names::new(), &mut |name, path, span| {
                self.current.uses.push(Use {
                    name,
                    path,
                    line: line_of(span),
                    exported,
                });
            });
        }
    }

    fn note_fields(&mut self, item: &syn::ItemStruct) {
        for field in &item.fields {
            if let (Some(name), Some(of)) = (&field.ident, self.known.type_of(&field.ty)) {
                let at = (item.ident.to_string(), name.to_string());
                self.current.calls.fields.insert(at, of);
            }
        }
    }

    fn note_impl(&mut self, item: &syn::ItemImpl) {
        let owner = match &*item.self_ty {
            syn::Type::Path(path) => Some(names_of(&path.path)),
            _ => None,
        };
        if let Some(owner) = owner.as_ref().filter(|_| item.trait_.is_none()) {
            self.current.impls.push(owner.clone());
            let methods = item.items.iter().filter_map(|item| match item {
                syn::ImplItem::Fn(method) if !is_test(&method.attrs) => Some(&method.sig.ident),
                _ => None,
            });
            let methods = methods.map(|name| (owner.clone(), name.to_string()));
            self.current.calls.methods.extend(methods);
        }
        let outer = mem::replace(&mut self.known.owner, owner);
        visit::visit_item_impl(self, item);
        self.known.owner = outer;
    }

    /// Notes a path unless it begins at an item or an import of this module, which are known already.
    fn note_path(&mut self, names: Names, line: impl FnOnce() -> usize) {
        let Some(first) = names.first() else { return };
        let is_module = |name: &str| name.starts_with(|first: char| first.is_ascii_lowercase());
        if names.len() > 1 && is_module(first) || self.exported.contains(first) {
            self.current.paths.entry(names).or_insert_with(line);
        }
    }
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name) = parts(item);
        if is_test(attributes) {
            return;
        }
        match item {
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    let mut within = self.current.within.clone();
                    within.push(module.ident.to_string());
                    self.module(within, items);
                }
                return;
            }
            Item::Use(item) => self.note_use(item), // in a function
            Item::Struct(item) => {
                let fields = (item.ident.to_string(), item.fields.len());
                self.current.structs.push(fields);
                self.note_fields(item);
            }
            Item::Impl(item) => return self.note_impl(item),
            Item::Fn(item) => {
                let outer = self.known.enter(&item.sig);
                visit::visit_item_fn(self, item);
                self.known.parameters = outer;
                let name = &item.sig.ident;
                let line = line_of(name.span());
                self.current.items.insert(name.to_string(), line);
                return;
            }
            _ => {}
        }
        if let Some(name) = name {
            let (name, line) = (name.to_string(), line_of(name.span()));
            self.current.items.insert(name, line);
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            let outer = self.known.enter(&item.sig);
            visit::visit_impl_item_fn(self, item);
            self.known.parameters = outer;
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.current.calls.made.extend(self.known.call(call));
        visit::visit_expr_method_call(self, call);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if let Some(first) = path
            .segments
            .first()
            .filter(|_| path.leading_colon.is_none())
        {
            self.note_path(names_of(path), || line_of(first.ident.span()));
        }
        visit::visit_path(self, path);
    }

    /// The arguments of a macro are not parsed, so their paths are found among the tokens.
    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let mut words = Vec::new();
        flatten(call.tokens.clone(), &mut words);
        let mut rest = &words[..];
        while let Some((_, line)) = rest.first() {
            let (names, length) = path_at(rest);
            self.note_path(names, || *line);
            rest = &rest[length..];
        }
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

/// Returns the path at the beginning of some tokens, and the number of its tokens, which is at least 1.
fn path_at(words: &[(String, usize)]) -> (Names, usize) {
    let word = |at: usize| words.get(at).map_or("", |(word, _)| word.as_str());
    let is_name =
        |word: &str| word.starts_with(|first: char| first.is_alphabetic() || first == '_');
    let mut names = Names::new();
    let mut at = 0;
    while is_name(word(at)) {
        names.push(word(at).to_owned());
        at += 1;
        if word(at) != ":" || word(at + 1) != ":" {
            break;
        }
        at += 2;
    }
    (names, at.max(1))
}

/// Calls `note` with the name, the path and the place of each name in a `use`.
fn leaves(tree: &UseTree, before: &Names, note: &mut impl FnMut(String, Names, Span)) {
    let with = |ident: &Ident| match ident.to_string() {
        name if name == "self" => before.clone(),
        name => [before.as_slice(), &[name]].concat(),
    };
    match tree {
        UseTree::Path(path) if path.ident == "self" && before.is_empty() => {
            leaves(&path.tree, &vec!["self".to_owned()], note);
        }
        UseTree::Path(path) => leaves(&path.tree, &with(&path.ident), note),
        UseTree::Group(group) => group
            .items
            .iter()
            .for_each(|tree| leaves(tree, before, note)),
        UseTree::Name(leaf) => {
            let path = with(&leaf.ident);
            let name = path.last().cloned().unwrap_or_default();
            note(name, path, leaf.ident.span());
        }
        UseTree::Rename(leaf) => {
            note(
                leaf.rename.to_string(),
                with(&leaf.ident),
                leaf.ident.span(),
            );
        }
        UseTree::Glob(leaf) => note("*".to_owned(), before.clone(), leaf.star_token.span),
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(only_in_tests)
}

/// The attributes of an item, and the name that it defines.
fn parts(item: &Item) -> (&[Attribute], Option<&Ident>) {
    match item {
        Item::Const(item) => (&item.attrs, Some(&item.ident)),
        Item::Enum(item) => (&item.attrs, Some(&item.ident)),
        Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
        Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
        Item::Static(item) => (&item.attrs, Some(&item.ident)),
        Item::Struct(item) => (&item.attrs, Some(&item.ident)),
        Item::Trait(item) => (&item.attrs, Some(&item.ident)),
        Item::TraitAlias(item) => (&item.attrs, Some(&item.ident)),
        Item::Type(item) => (&item.attrs, Some(&item.ident)),
        Item::Union(item) => (&item.attrs, Some(&item.ident)),
        Item::ExternCrate(item) => (&item.attrs, None),
        Item::ForeignMod(item) => (&item.attrs, None),
        Item::Impl(item) => (&item.attrs, None),
        Item::Mod(item) => (&item.attrs, None),
        Item::Use(item) => (&item.attrs, None),
        _ => (&[], None),
    }
}
