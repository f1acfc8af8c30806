//! Reads Rust sources into the paths that they name, with each path resolved to where the thing is defined.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, UseTree, Visibility};

/// The name by which the programs know the library.
const LIBRARY: &str = "git_arborist";

/// How many re-exports are followed for one name; more of them are a circle.
const LONGEST_CHAIN: usize = 32;

/// A module: what its names mean, and what it refers to.
#[derive(Default)]
struct Module {
    /// From the top of `src`.
    file: String,
    /// What a name that `use` brings in stands for; private imports and re-exports alike.
    imports: BTreeMap<String, Vec<String>>,
    /// Modules and types whose names are all brought in.
    globs: Vec<Vec<String>>,
    /// Paths as they are written, each with its line.
    written: Vec<Written>,
}

struct Written {
    path: Vec<String>,
    line: usize,
    kind: Reference,
}

/// How something is referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reference {
    /// It is used here.
    Use,
    /// It is only passed on to others, under this module's name.
    ReExport,
    /// A macro of this name is called.
    Macro,
    /// Methods of this type are defined here.
    Methods,
    /// A method of this name is called, of whatever type.
    Call,
}

/// Something that a file refers to.
#[derive(Clone, Debug)]
pub(super) struct Referred {
    /// The module that refers, from the root; the first part is its layer.
    pub(super) module: Vec<String>,
    /// The file, from the top of `src`.
    pub(super) file: String,
    pub(super) line: usize,
    /// The full path: `crate` and the path of the definition, or the name of another crate and what follows.
    pub(super) path: Vec<String>,
    /// The file of the definition, for what is defined in this crate.
    pub(super) defined_in: Option<String>,
    pub(super) kind: Reference,
}

/// A crate, as the rules look at it.
pub(super) struct Package {
    /// The texts of all files, by their paths from `src`.
    pub(super) files: BTreeMap<String, String>,
    /// The files of the code, tests left out.
    pub(super) code: BTreeSet<String>,
    /// Files that no `mod` declares.
    pub(super) unreached: Vec<String>,
    /// Everything that the code refers to, tests left out.
    pub(super) references: Vec<Referred>,
}

impl Package {
    /// Reads a crate whose files are given by their paths from `src`. `lib.rs` and each file of `bin/` are roots.
    pub(super) fn read(files: BTreeMap<String, String>) -> Self {
        let sources = Sources::read(&files);
        let code = sources.modules.values().map(|module| module.file.clone()).collect();
        Self { code, references: sources.references(), unreached: sources.unreached, files }
    }
}

/// All modules of a crate, by their paths from its root.
#[derive(Default)]
struct Sources {
    modules: BTreeMap<Vec<String>, Module>,
    unreached: Vec<String>,
}

impl Sources {
    fn read(files: &BTreeMap<String, String>) -> Self {
        let mut sources = Self::default();
        let mut reached = Vec::new();
        let mut open: Vec<(Vec<String>, String)> = files
            .keys()
            .filter_map(|file| {
                let program = file.strip_prefix("bin/")?.strip_suffix(".rs")?;
                let is_program = !program.contains('/');
                is_program.then(|| (vec!["bin".to_owned(), program.to_owned()], file.clone()))
            })
            .collect();
        open.push((Vec::new(), "lib.rs".to_owned()));
        while let Some((path, file)) = open.pop() {
            let text = files.get(&file).unwrap_or_else(|| panic!("src/{file} is declared and missing"));
            let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("src/{file}: {error}"));
            reached.push((file.clone(), true));
            // Programs are roots, like `lib.rs`: their modules are beside them.
            let is_program = path.len() == 2 && path[0] == "bin";
            let folder = if is_program { "bin/".to_owned() } else { folder_of(&file) };
            let mut reader = Reader { sources: &mut sources, file: &file, children: Vec::new() };
            reader.module(&path, &parsed.items);
            for Child { module, tests } in reader.children {
                let name = module[path.len()..].join("/");
                let found = [format!("{folder}{name}.rs"), format!("{folder}{name}/mod.rs")]
                    .into_iter()
                    .find(|file| files.contains_key(file))
                    .unwrap_or_else(|| panic!("src/{file} declares {name}, which has no file"));
                if tests {
                    reached.push((found, false));
                } else {
                    open.push((module, found));
                }
            }
        }
        let of_tests: Vec<String> =
            reached.iter().filter(|(_, code)| !code).map(|(file, _)| folder_of(file)).collect();
        sources.unreached = files
            .keys()
            .filter(|file| reached.iter().all(|(known, _)| known != *file))
            .filter(|file| !of_tests.iter().any(|folder| file.starts_with(folder)))
            .cloned()
            .collect();
        sources
    }

    fn references(&self) -> Vec<Referred> {
        let mut all = Vec::new();
        for (module, content) in &self.modules {
            for Written { path, line, kind } in &content.written {
                let Some(full) = self.full(module, path, *kind) else { continue };
                let (path, defined_in) = self.definition(full, 0);
                all.push(Referred {
                    module: module.clone(),
                    file: content.file.clone(),
                    line: *line,
                    path,
                    defined_in,
                    kind: *kind,
                });
            }
        }
        all
    }

    /// The path from the root of a crate for what is written in a module; `None` for a name of the module's own.
    fn full(&self, module: &[String], written: &[String], kind: Reference) -> Option<Vec<String>> {
        if kind == Reference::Call {
            return Some(written.to_vec());
        }
        let (first, rest) = written.split_first()?;
        let mut base = match first.as_str() {
            "crate" => vec!["crate".to_owned()],
            LIBRARY if module.first().is_none_or(|layer| layer == "bin") => vec!["crate".to_owned()],
            "self" => in_crate(module),
            "super" => {
                let up = 1 + rest.iter().take_while(|part| *part == "super").count();
                let mut parent = in_crate(&module[..module.len().saturating_sub(up)]);
                parent.extend(rest[up - 1..].iter().cloned());
                return Some(parent);
            }
            name => {
                let here = self.modules.get(module)?;
                let child = [module, std::slice::from_ref(first)].concat();
                if let Some(import) = here.imports.get(name).filter(|import| import.as_slice() != written) {
                    self.full(module, import, kind).unwrap_or_else(|| import.clone())
                } else if self.modules.contains_key(&child) && !rest.is_empty() {
                    in_crate(&child)
                } else if kind != Reference::Macro && rest.is_empty() {
                    // The module's own item, or one that a glob brings in, which is a reference of its own. It is not a
                    // module either, because modules are not values.
                    return None;
                } else {
                    vec![name.to_owned()]
                }
            }
        };
        base.extend(rest.iter().cloned());
        Some(base)
    }

    /// Follows re-exports to the module that defines what a full path names.
    fn definition(&self, full: Vec<String>, depth: usize) -> (Vec<String>, Option<String>) {
        if full.first().is_none_or(|first| first != "crate") || depth > LONGEST_CHAIN {
            return (full, None);
        }
        let mut module: Vec<String> = Vec::new();
        for (place, part) in full.iter().enumerate().skip(1) {
            let child = [module.as_slice(), std::slice::from_ref(part)].concat();
            let here = &self.modules[&module];
            if self.modules.contains_key(&child) {
                module = child;
                continue;
            }
            let through = here.imports.get(part).cloned().or_else(|| {
                here.globs.iter().find_map(|glob| {
                    let candidate = [glob.as_slice(), std::slice::from_ref(part)].concat();
                    let full = self.full(&module, &candidate, Reference::Use)?;
                    let (path, _) = self.definition(full, depth + 1);
                    (path.last() == Some(part)).then_some(candidate)
                })
            });
            if let Some(target) = through
                && let Some(mut target) = self.full(&module, &target, Reference::Use)
            {
                target.extend(full[place + 1..].iter().cloned());
                return self.definition(target, depth + 1);
            }
            break;
        }
        let file = self.modules.get(&module).map(|module| module.file.clone());
        (full, file)
    }
}

fn in_crate(module: &[String]) -> Vec<String> {
    std::iter::once("crate".to_owned()).chain(module.iter().cloned()).collect()
}

/// The folder in which the children of a file lie.
pub(super) fn folder_of(file: &str) -> String {
    match file.strip_suffix("mod.rs").or_else(|| file.strip_suffix("lib.rs")) {
        Some(folder) => folder.to_owned(),
        None => format!("{}/", file.strip_suffix(".rs").unwrap_or(file)),
    }
}

struct Child {
    module: Vec<String>,
    /// Whether it is compiled for tests alone.
    tests: bool,
}

struct Reader<'a> {
    sources: &'a mut Sources,
    file: &'a str,
    children: Vec<Child>,
}

impl Reader<'_> {
    fn module(&mut self, path: &[String], items: &[Item]) {
        let mut module = Module { file: self.file.to_owned(), ..Module::default() };
        for item in items {
            let tests = attributes(item).iter().any(is_for_tests);
            match item {
                Item::Mod(inner) => {
                    let child = [path, &[inner.ident.to_string()]].concat();
                    match &inner.content {
                        Some((_, items)) if !tests => self.module(&child, items),
                        Some(_) => {}
                        None => self.children.push(Child { module: child, tests }),
                    }
                }
                _ if tests => {}
                item => Paths { module: &mut module }.visit_item(item),
            }
        }
        self.sources.modules.insert(path.to_vec(), module);
    }
}

pub(super) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

pub(super) fn is_for_tests(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.parse_args::<syn::Ident>().is_ok_and(|condition| condition == "test")
}

fn names(path: &syn::Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

fn line_of(span: Span) -> usize {
    span.start().line
}

fn line_of_path(path: &syn::Path) -> usize {
    path.segments.first().map_or(0, |segment| line_of(segment.ident.span()))
}

/// Collects the paths of one module.
struct Paths<'a> {
    module: &'a mut Module,
}

impl Paths<'_> {
    fn written(&mut self, path: Vec<String>, line: usize, kind: Reference) {
        self.module.written.push(Written { path, line, kind });
    }

    fn import(&mut self, tree: &UseTree, before: &[String], kind: Reference) {
        match tree {
            UseTree::Path(path) => {
                let before = [before, &[path.ident.to_string()]].concat();
                self.import(&path.tree, &before, kind);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, before, kind);
                }
            }
            UseTree::Glob(glob) => {
                self.module.globs.push(before.to_vec());
                self.written(before.to_vec(), line_of(glob.star_token.spans[0]), kind);
            }
            UseTree::Name(name) => self.named(&name.ident, &name.ident, before, kind),
            UseTree::Rename(rename) => self.named(&rename.ident, &rename.rename, before, kind),
        }
    }

    fn named(&mut self, name: &Ident, alias: &Ident, before: &[String], kind: Reference) {
        let itself = name == "self";
        let path = if itself { before.to_vec() } else { [before, &[name.to_string()]].concat() };
        let alias = if itself && alias == "self" { path.last().cloned() } else { Some(alias.to_string()) };
        self.written(path.clone(), line_of(name.span()), kind);
        self.module.imports.insert(alias.expect("`self` is only imported from a path"), path);
    }

    /// What is inside a macro call has no syntax of its own: every `a::b::c` in it is taken for a path, every `name!` for a
    /// call of a macro, and every `.name(` for that of a method.
    fn tokens(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is = |at: usize, wanted: char| matches!(tokens.get(at), Some(TokenTree::Punct(found)) if found.as_char() == wanted);
        let is_group = |at: usize| matches!(tokens.get(at), Some(TokenTree::Group(_)));
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(name) if at > 0 && is(at - 1, '.') && is_group(at + 1) => {
                    self.written(vec![name.to_string()], line_of(name.span()), Reference::Call);
                }
                TokenTree::Ident(first) => {
                    let line = line_of(first.span());
                    let mut path = vec![first.to_string()];
                    while is(at + 1, ':')
                        && is(at + 2, ':')
                        && let Some(TokenTree::Ident(next)) = tokens.get(at + 3)
                    {
                        path.push(next.to_string());
                        at += 3;
                    }
                    let kind =
                        if is(at + 1, '!') && !is(at + 2, '=') { Reference::Macro } else { Reference::Use };
                    if path.len() > 1 || kind == Reference::Macro {
                        self.written(path, line, kind);
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }
}

impl<'ast> Visit<'ast> for Paths<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        // Items inside of functions: their tests are left out as well.
        if !attributes(item).iter().any(is_for_tests) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let kind =
            if matches!(item.vis, Visibility::Inherited) { Reference::Use } else { Reference::ReExport };
        self.import(&item.tree, &[], kind);
    }

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
        let path = vec![item.ident.to_string()];
        self.written(vec![path[0].clone(), "self".to_owned()], line_of(item.ident.span()), Reference::Use);
        let alias = item.rename.as_ref().map_or(&item.ident, |(_, alias)| alias);
        self.module.imports.insert(alias.to_string(), path);
    }

    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        self.written(vec![call.method.to_string()], line_of(call.method.span()), Reference::Call);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if let (None, syn::Type::Path(of)) = (&item.trait_, &*item.self_ty) {
            self.written(names(&of.path), line_of_path(&of.path), Reference::Methods);
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !item.attrs.iter().any(is_for_tests) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.written(names(path), line_of_path(path), Reference::Use);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.written(names(&call.path), line_of_path(&call.path), Reference::Macro);
        self.tokens(call.tokens.clone());
    }

    /// `pub(super)` says who may use something, and uses nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}
