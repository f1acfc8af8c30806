//! The rules inside a room: its folders have an order, and its first-level modules do not depend on each other in a circle.

use std::collections::{BTreeMap, BTreeSet};

use super::source::{Package, Reference, Referred};

/// The folders and files of a room, each of which may only use what comes after it.
pub(super) struct Room<'a> {
    pub(super) name: &'a str,
    pub(super) order: &'a [&'a str],
}

/// Uses of one first-level module of a room by another one of the same room, with the reference.
fn uses_within(package: &Package) -> impl Iterator<Item = (Place<'_>, Place<'_>, &Referred)> {
    package.references.iter().filter(|referred| referred.kind != Reference::ReExport).filter_map(|referred| {
        let user = Place::of(&referred.file)?;
        let used = Place::of(referred.defined_in.as_deref()?)?;
        (user.room == used.room && user.module != used.module).then_some((user, used, referred))
    })
}

/// A first-level module of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place<'a> {
    room: &'a str,
    module: &'a str,
}

impl<'a> Place<'a> {
    /// That of a file; `None` for the file of the room itself, which may use all of its modules.
    fn of(file: &'a str) -> Option<Self> {
        let (room, rest) = file.split_once('/')?;
        let module = rest.split_once('/').map_or(rest, |(folder, _)| folder);
        let module = module.strip_suffix(".rs").unwrap_or(module);
        (module != "mod").then_some(Self { room, module })
    }
}

/// Violations of the declared order of rooms, and modules that have no place in it.
pub(super) fn against_order(package: &Package, rooms: &[Room<'_>]) -> Vec<String> {
    let mut found = BTreeSet::new();
    for Room { name, order } in rooms {
        let here = package.code.iter().filter_map(|file| Place::of(file)).filter(|place| place.room == *name);
        let modules: BTreeSet<&str> = here.map(|place| place.module).collect();
        let known: BTreeSet<&str> = order.iter().copied().collect();
        found.extend(
            modules.difference(&known).map(|module| format!("{name}/{module} has no place in its room")),
        );
        found.extend(known.difference(&modules).map(|module| format!("{name}/{module} is not there")));
    }
    for (user, used, referred) in uses_within(package) {
        let Some(room) = rooms.iter().find(|room| room.name == user.room) else { continue };
        let place = |module: &str| room.order.iter().position(|name| *name == module);
        if place(user.module) > place(used.module) {
            found.insert(format!(
                "{}/{} must not use {}: src/{}:{}",
                user.room, user.module, used.module, referred.file, referred.line
            ));
        }
    }
    found.into_iter().collect()
}

/// Circles of first-level modules of a room, each with the files that tie them together.
pub(super) fn knots(package: &Package) -> Vec<String> {
    let mut uses: BTreeMap<Place<'_>, BTreeMap<Place<'_>, &Referred>> = BTreeMap::new();
    for (user, used, referred) in uses_within(package) {
        uses.entry(user).or_default().entry(used).or_insert(referred);
    }
    let reached = |from: Place<'_>| {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(place) = open.pop() {
            for next in uses.get(&place).into_iter().flat_map(BTreeMap::keys) {
                if seen.insert(*next) {
                    open.push(*next);
                }
            }
        }
        seen
    };
    let reach: BTreeMap<Place<'_>, BTreeSet<Place<'_>>> =
        uses.keys().map(|place| (*place, reached(*place))).collect();
    let mut found = Vec::new();
    for (place, reached) in &reach {
        let back = |other: &&Place<'_>| reach.get(*other).is_some_and(|reached| reached.contains(place));
        let circle: Vec<Place<'_>> = reached.iter().filter(back).copied().collect();
        if circle.first() != Some(place) {
            continue;
        }
        let names: Vec<&str> = circle.iter().map(|place| place.module).collect();
        let mut sentence = format!("in {}, these modules use each other: {}\n", place.room, names.join(", "));
        for user in &circle {
            for (used, referred) in uses[user].iter().filter(|(used, _)| circle.contains(used)) {
                let at = format!("src/{}:{}", referred.file, referred.line);
                sentence.push_str(&format!("    {} uses {}: {at}\n", user.module, used.module));
            }
        }
        found.push(sentence);
    }
    found
}
