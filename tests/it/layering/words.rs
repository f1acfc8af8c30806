//! Checks that what decides compares no words: an enum should decide, and a word is only how it is read or written.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Item, Lit, LitStr, Macro, PatLit, Token};

use super::source::{Package, attributes, is_for_tests};

/// A comparison with a word.
pub(super) struct Compared {
    /// From the top of `src`.
    pub(super) file: String,
    pub(super) line: usize,
    /// The word, or `.word()` for that of an enum.
    pub(super) word: String,
}

/// Every place in the code of these rooms where a pattern is a word, or where `==` or `!=` compares something with one or
/// with the word of an enum.
pub(super) fn compared_words(package: &Package, rooms: &[&str]) -> Vec<Compared> {
    let is_in = |file: &&String| rooms.contains(&file.split('/').next().unwrap_or_default());
    let code = package.code.iter().filter(is_in);
    code.flat_map(|file| compared_in(file, &package.files[file])).collect()
}

pub(super) fn compared_in(file: &str, text: &str) -> Vec<Compared> {
    let mut words = Words { file, found: Vec::new() };
    words.visit_file(&syn::parse_file(text).expect("it is Rust"));
    words.found
}

struct Words<'a> {
    file: &'a str,
    found: Vec<Compared>,
}

impl Words<'_> {
    fn add(&mut self, line: usize, word: String) {
        self.found.push(Compared { file: self.file.to_owned(), line, word });
    }

    fn add_text(&mut self, text: &LitStr) {
        let word = text.value();
        let is_word = word.starts_with(|c: char| c.is_ascii_alphabetic())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_ ".contains(c));
        if is_word {
            self.add(text.span().start().line, word);
        }
    }

    /// Takes note of an operand that is a word, as in `"done"` or `Some("done")`.
    fn operand(&mut self, operand: &Expr) {
        match operand {
            Expr::Lit(literal) => {
                if let Lit::Str(text) = &literal.lit {
                    self.add_text(text);
                }
            }
            Expr::Call(call) => call.args.iter().for_each(|argument| self.operand(argument)),
            Expr::Reference(reference) => self.operand(&reference.expr),
            Expr::Paren(inner) => self.operand(&inner.expr),
            _ => {}
        }
    }

    fn literals(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.literals(group.stream()),
                TokenTree::Literal(literal) => {
                    if let Lit::Str(text) = Lit::new(literal) {
                        self.add_text(&text);
                    }
                }
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Words<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !attributes(item).iter().any(is_for_tests) {
            visit::visit_item(self, item);
        }
    }

    fn visit_pat(&mut self, pattern: &'ast syn::Pat) {
        if let syn::Pat::Lit(PatLit { lit: Lit::Str(text), .. }) = pattern {
            self.add_text(text);
        }
        visit::visit_pat(self, pattern);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if matches!(binary.op, BinOp::Eq(_) | BinOp::Ne(_)) {
            for (operand, other) in [(&*binary.left, &*binary.right), (&*binary.right, &*binary.left)] {
                self.operand(operand);
                // What is compared with a variant is an enum itself.
                let is_variant = matches!(other, Expr::Path(path) if path.path.segments.len() > 1);
                if let Some(method) = word_of_enum(operand).filter(|_| !is_variant) {
                    self.add(method.span().start().line, ".word()".to_owned());
                }
            }
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        if called.path.is_ident("matches") {
            self.literals(called.tokens.clone());
        } else if let Ok(arguments) =
            Punctuated::<Expr, Token![,]>::parse_terminated.parse2(called.tokens.clone())
        {
            arguments.iter().for_each(|argument| self.visit_expr(argument));
        }
    }
}

fn word_of_enum(operand: &Expr) -> Option<&Ident> {
    match operand {
        Expr::MethodCall(call) if call.args.is_empty() => {
            Some(&call.method).filter(|method| *method == "word")
        }
        Expr::Reference(reference) => word_of_enum(&reference.expr),
        _ => None,
    }
}
