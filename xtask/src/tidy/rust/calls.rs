//! The methods of types, and the calls of methods on values whose type is evident: `self`, a parameter, a struct that is
//! made in place, and the fields of these.

use std::collections::BTreeMap;

use syn::{Expr, FnArg, Member, Pat, Signature, Type};

/// The names of a path, without `::`.
pub(crate) type Names = Vec<String>;

/// The methods and calls of one module.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// The types of the fields of structs, by the names of struct and field.
    pub(crate) fields: BTreeMap<(String, String), Names>,
    /// The inherent methods, each with its type.
    pub(crate) methods: Vec<(Names, String)>,
    pub(crate) made: Vec<Call>,
}

/// A call of a method.
#[derive(Debug)]
pub(crate) struct Call {
    /// The type of the value at which the receiver begins.
    pub(crate) of: Names,
    /// The fields that lead from that value to the receiver.
    pub(crate) fields: Vec<String>,
    pub(crate) method: String,
    pub(crate) line: usize,
}

/// The values whose types are known at a place of the code.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The type of `self`.
    pub(super) owner: Option<Names>,
    pub(super) parameters: Vec<(String, Names)>,
}

impl Known {
    /// Adds the parameters of a function, and returns those that were known before.
    pub(super) fn enter(&mut self, signature: &Signature) -> Vec<(String, Names)> {
        let typed = signature.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed) => Some(typed),
            FnArg::Receiver(_) => None,
        });
        let named = typed.filter_map(|typed| match &*typed.pat {
            Pat::Ident(name) => Some((name.ident.to_string(), self.type_of(&typed.ty)?)),
            _ => None,
        });
        let parameters = named.collect();
        std::mem::replace(&mut self.parameters, parameters)
    }

    /// The name of a type, without references. `None` if it has no path.
    pub(super) fn type_of(&self, of: &Type) -> Option<Names> {
        match of {
            Type::Reference(reference) => self.type_of(&reference.elem),
            Type::Paren(inner) => self.type_of(&inner.elem),
            Type::Path(path) => self.resolved(names_of(&path.path)),
            _ => None,
        }
    }

    /// The call of a method, if the type of its receiver is evident.
    pub(super) fn call(&self, call: &syn::ExprMethodCall) -> Option<Call> {
        let mut fields = Vec::new();
        let of = self.root(&call.receiver, &mut fields)?;
        Some(Call {
            of,
            fields,
            method: call.method.to_string(),
            line: call.method.span().start().line,
        })
    }

    /// The type of the value at which a receiver begins. Adds the fields that follow.
    fn root(&self, value: &Expr, fields: &mut Vec<String>) -> Option<Names> {
        match value {
            Expr::Paren(inner) => self.root(&inner.expr, fields),
            Expr::Reference(inner) => self.root(&inner.expr, fields),
            Expr::Unary(inner) => self.root(&inner.expr, fields),
            Expr::Struct(made) => self.resolved(names_of(&made.path)),
            Expr::Field(field) => {
                let of = self.root(&field.base, fields)?;
                let Member::Named(name) = &field.member else {
                    return None;
                };
                fields.push(name.to_string());
                Some(of)
            }
            Expr::Path(path) => {
                let name = path.path.get_ident()?.to_string();
                if name == "self" {
                    return self.owner.clone();
                }
                let mut parameters = self.parameters.iter();
                let (_, of) = parameters.find(|(known, _)| *known == name)?;
                Some(of.clone())
            }
            _ => None,
        }
    }

    fn resolved(&self, names: Names) -> Option<Names> {
        match names.first().map(String::as_str) {
            Some("Self") => self.owner.clone(),
            _ => Some(names),
        }
    }
}

pub(super) fn names_of(path: &syn::Path) -> Names {
    let names = path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string());
    names.collect()
}
