//! The layering rules, as a function from the sources to their violations.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Package, Reference, Referred, folder_of};

/// The rules of one crate.
#[derive(Clone, Copy)]
pub(super) struct Rules<'a> {
    /// Every layer and the layers that it may use. The list is in order: a layer may only use what comes after it.
    pub(super) may_use: &'a [(&'a str, &'a [&'a str])],
    pub(super) doors: &'a [Door<'a>],
    pub(super) exceptions: &'a [Exception<'a>],
}

/// A way out of the program, and the layers that may take it.
#[derive(Clone, Copy)]
pub(super) struct Door<'a> {
    pub(super) what: &'a str,
    /// Full paths; whatever begins with one of them counts. Macros are written with `!`, methods with a dot.
    pub(super) signs: &'a [&'a str],
    pub(super) layers: &'a [&'a str],
}

/// A permitted use of a way out in another layer.
#[derive(Clone, Copy)]
pub(super) struct Exception<'a> {
    pub(super) file: &'a str,
    pub(super) sign: &'a str,
    pub(super) reason: &'a str,
}

/// All violations, one sentence each.
pub(super) fn violations(package: &Package, rules: &Rules<'_>) -> Vec<String> {
    let mut found: Vec<String> =
        package.unreached.iter().map(|file| format!("no module declares src/{file}")).collect();
    found.extend(order(rules));
    found.extend(upward(&package.references, rules));
    found.extend(doors(&package.references, rules));
    found.sort();
    found.dedup();
    found
}

fn order(rules: &Rules<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for (place, (layer, used)) in rules.may_use.iter().enumerate() {
        let below: BTreeSet<&str> = rules.may_use[place + 1..].iter().map(|(name, _)| *name).collect();
        for name in used.iter().filter(|name| !below.contains(*name)) {
            found.push(format!("{layer} may use {name}, which is not below it"));
        }
    }
    found
}

fn upward(references: &[Referred], rules: &Rules<'_>) -> Vec<String> {
    let may_use: BTreeMap<&str, &[&str]> = rules.may_use.iter().copied().collect();
    let mut found = Vec::new();
    for referred in references {
        let (Some(layer), [first, used, ..]) = (referred.module.first(), referred.path.as_slice()) else {
            continue;
        };
        let Some(allowed) = may_use.get(layer.as_str()) else {
            found.push(format!("src/{} belongs to no layer", referred.file));
            continue;
        };
        if first == "crate" && used != layer && !allowed.contains(&used.as_str()) {
            found.push(format!("{layer} must not use {used}: {}", place(referred)));
        }
    }
    found
}

fn doors(references: &[Referred], rules: &Rules<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for referred in references {
        let Some(layer) = referred.module.first() else { continue };
        for door in rules.doors.iter().filter(|door| !door.layers.contains(&layer.as_str())) {
            let Some(sign) = door.signs.iter().find(|sign| is_sign(referred, sign)) else { continue };
            let excused = |exception: &&Exception<'_>| {
                exception.file == referred.file && exception.sign == *sign && !exception.reason.is_empty()
            };
            if !rules.exceptions.iter().any(|exception| excused(&exception)) {
                found.push(format!("{layer} {}: {}", door.what, place(referred)));
            }
        }
    }
    found
}

/// Whether a reference is one to this sign of a door.
pub(super) fn is_sign(referred: &Referred, sign: &str) -> bool {
    if let Some(name) = sign.strip_suffix('!') {
        return referred.kind == Reference::Macro && referred.path.last().is_some_and(|last| last == name);
    }
    if let Some(name) = sign.strip_prefix('.') {
        return referred.kind == Reference::Call && referred.path.last().is_some_and(|last| last == name);
    }
    if referred.kind == Reference::Call {
        return false;
    }
    let sign: Vec<&str> = sign.split("::").collect();
    referred.path.iter().map(String::as_str).take(sign.len()).eq(sign)
}

/// The exceptions that nothing needs.
pub(super) fn unneeded(package: &Package, rules: &Rules<'_>) -> Vec<String> {
    let needed = |exception: &&Exception<'_>| {
        package
            .references
            .iter()
            .any(|referred| referred.file == exception.file && is_sign(referred, exception.sign))
    };
    let idle = rules.exceptions.iter().filter(|exception| !needed(exception));
    idle.map(|exception| format!("src/{} does not use {}", exception.file, exception.sign)).collect()
}

/// Where a reference is, and to what.
pub(super) fn place(referred: &Referred) -> String {
    format!("src/{}:{}: {}", referred.file, referred.line, referred.path.join("::"))
}

/// Cycles of files that use each other, with the uses. A re-export is not a use.
pub(super) fn cycles(package: &Package) -> Vec<String> {
    let mut uses: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
    for referred in package.references.iter().filter(|referred| referred.kind != Reference::ReExport) {
        if let Some(target) = referred.defined_in.as_deref().filter(|target| *target != referred.file) {
            let names = uses.entry(&referred.file).or_default().entry(target).or_default();
            names.extend(referred.path.last().map(String::as_str));
        }
    }
    let reachable = |from: &str| {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(file) = open.pop() {
            for next in uses.get(file).into_iter().flat_map(BTreeMap::keys) {
                if seen.insert(*next) {
                    open.push(next);
                }
            }
        }
        seen
    };
    let reach: BTreeMap<&str, BTreeSet<&str>> = uses.keys().map(|file| (*file, reachable(file))).collect();
    let mut found = Vec::new();
    for (file, reached) in &reach {
        let circle: Vec<&str> = reached
            .iter()
            .copied()
            .filter(|other| reach.get(other).is_some_and(|back| back.contains(file)))
            .collect();
        if circle.first() == Some(file) {
            let ties: String = circle.iter().map(|file| ties(file, &uses[file], &circle)).collect();
            found.push(format!("these files use each other: {}{ties}", circle.join(", ")));
        }
    }
    found
}

/// Methods that are defined far from their type: neither in its file, nor beside it in the same folder, nor in the folder
/// of its file.
pub(super) fn scattered_methods(package: &Package) -> Vec<String> {
    let of_methods = package.references.iter().filter(|referred| referred.kind == Reference::Methods);
    of_methods
        .filter_map(|referred| {
            let home = referred.defined_in.as_deref()?;
            let below = folder_of(home);
            let is_near = parent(&referred.file) == parent(home) || referred.file.starts_with(&below);
            let name = referred.path.last()?;
            (!is_near).then(|| {
                format!(
                    "src/{}:{}: methods of {name}, which src/{home} defines",
                    referred.file, referred.line
                )
            })
        })
        .collect()
}

/// The folder that a file is in, with its slash; empty at the top.
fn parent(file: &str) -> &str {
    file.rfind('/').map_or("", |slash| &file[..=slash])
}

/// What a file uses of the others in its circle.
fn ties(file: &str, used: &BTreeMap<&str, BTreeSet<&str>>, circle: &[&str]) -> String {
    let within = used.iter().filter(|(target, _)| circle.contains(target));
    let tie = |(target, names): (&&str, &BTreeSet<&str>)| {
        let names: Vec<&str> = names.iter().copied().collect();
        format!("\n    {file} uses {target}: {}", names.join(", "))
    };
    within.map(tie).collect()
}
