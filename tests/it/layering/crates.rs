//! Which crates of others each layer may use.

use std::collections::BTreeSet;

use super::source::{Package, Reference};

/// The crates that each layer may use, besides the standard library.
pub(super) type Allowed<'a> = &'a [(&'a str, &'a [&'a str])];

/// The names of the dependencies in a `Cargo.toml`, as the code writes them.
pub(super) fn dependencies(manifest: &str) -> BTreeSet<String> {
    let section = manifest.split("\n[").find_map(|part| part.strip_prefix("dependencies]"));
    let lines = section.expect("the manifest has dependencies").lines();
    let names = lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = "));
    names.map(|(name, _)| name.replace('-', "_")).collect()
}

/// Crates in layers that may not use them, and permissions that nothing needs.
pub(super) fn foreign_crates(
    package: &Package,
    allowed: Allowed<'_>,
    dependencies: &BTreeSet<String>,
) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut used = BTreeSet::new();
    for referred in &package.references {
        let (Some(layer), Some(first)) = (referred.module.first(), referred.path.first()) else { continue };
        if referred.kind == Reference::Call || !dependencies.contains(first) {
            continue;
        }
        if !used.insert((layer.as_str(), first.as_str())) {
            continue;
        }
        let may = |(name, crates): &(&str, &[&str])| *name == layer && crates.contains(&first.as_str());
        if !allowed.iter().any(may) {
            found.insert(format!("{layer} must not use {first}: src/{}:{}", referred.file, referred.line));
        }
    }
    for (layer, crates) in allowed {
        let idle = crates.iter().filter(|name| !used.contains(&(*layer, **name)));
        found.extend(idle.map(|name| format!("{layer} may use {name}, but does not")));
    }
    found.into_iter().collect()
}
