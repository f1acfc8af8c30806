//! Checks that no function takes a tuple: values that belong together are a struct with a name.

use syn::visit::{self, Visit};
use syn::{FnArg, GenericArgument, Item, ItemType, Pat, PathArguments, PathSegment, Signature, Type};

use super::source::{Package, attributes, is_for_tests};

/// Every parameter that is or contains a tuple, behind a reference, in a slice or as in `Option<(u8, u8)>`, and every other
/// name for a tuple.
/// Closures are exempt, because their callers decide what they take, and so are tests, whose tables are lists of
/// tuples.
pub(super) fn tuple_parameters(package: &Package) -> Vec<String> {
    let mut found = Vec::new();
    for file in &package.code {
        let parsed = syn::parse_file(&package.files[file]).expect("it was parsed before");
        Parameters { file, found: &mut found }.visit_file(&parsed);
    }
    found
}

struct Parameters<'a> {
    file: &'a str,
    found: &'a mut Vec<String>,
}

impl<'ast> Visit<'ast> for Parameters<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !attributes(item).iter().any(is_for_tests) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !item.attrs.iter().any(is_for_tests) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_type(&mut self, alias: &'ast ItemType) {
        if is_tuple(&alias.ty) {
            let line = alias.ident.span().start().line;
            self.found.push(format!("src/{}:{line}: {} is a tuple", self.file, alias.ident));
        }
    }

    fn visit_signature(&mut self, signature: &'ast Signature) {
        for parameter in &signature.inputs {
            if let FnArg::Typed(parameter) = parameter
                && (matches!(*parameter.pat, Pat::Tuple(_)) || is_tuple(&parameter.ty))
            {
                let line = signature.ident.span().start().line;
                self.found.push(format!("src/{}:{line}: {} takes a tuple", self.file, signature.ident));
            }
        }
    }
}

fn is_tuple(of: &Type) -> bool {
    match of {
        Type::Tuple(tuple) => !tuple.elems.is_empty(),
        Type::Reference(inner) => is_tuple(&inner.elem),
        Type::Slice(inner) => is_tuple(&inner.elem),
        Type::Array(inner) => is_tuple(&inner.elem),
        Type::Paren(inner) => is_tuple(&inner.elem),
        Type::Path(named) => named.path.segments.iter().any(has_tuple_argument),
        _ => false,
    }
}

/// Whether a type has a tuple as an argument, like `Option<(u8, u8)>`.
fn has_tuple_argument(segment: &PathSegment) -> bool {
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return false };
    arguments.args.iter().any(|argument| matches!(argument, GenericArgument::Type(inner) if is_tuple(inner)))
}
