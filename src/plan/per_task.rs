//! A value for every task, of which most tasks have the same one.

use std::collections::HashMap;
use std::hash::Hash;

use super::TaskTree;
use super::node_ix::NodeIx;

/// A value for every task. Tasks that share it are known, so that work on the values is not repeated for each task.
#[derive(Clone, Debug)]
pub struct PerTask<T> {
    values: Vec<T>,
    /// The position of the value of each node, by the position of the node.
    which: Vec<u32>,
}

impl<T> PerTask<T> {
    /// The same value for every task of a tree.
    pub fn same(tree: &TaskTree, value: T) -> Self {
        Self { values: vec![value], which: vec![0; tree.nodes.len()] }
    }

    /// The value that `make` gives for the key of each task. It is called once for every key.
    pub fn by_key<K: Eq + Hash + Clone>(
        tree: &TaskTree,
        key: impl Fn(NodeIx) -> K,
        make: impl Fn(&K) -> T,
    ) -> Self {
        let mut known: HashMap<K, u32> = HashMap::new();
        let mut values = Vec::new();
        let mut which = vec![0; tree.nodes.len()];
        for leaf in tree.order() {
            let key = key(*leaf);
            which[leaf.position()] = *known.entry(key).or_insert_with_key(|key| {
                values.push(make(key));
                u32::try_from(values.len() - 1).expect("there are fewer values than tasks")
            });
        }
        Self { values, which }
    }

    /// The value of a task.
    pub fn of(&self, leaf: NodeIx) -> &T {
        &self.values[self.which[leaf.position()] as usize]
    }

    /// The same tasks with other values.
    pub fn map<U>(&self, make: impl FnMut(&T) -> U) -> PerTask<U> {
        PerTask { values: self.values.iter().map(make).collect(), which: self.which.clone() }
    }

    /// The values of these tasks, each with the first task that has it, in the order of the tasks.
    pub fn first_of_each(&self, leaves: impl IntoIterator<Item = NodeIx>) -> Vec<(NodeIx, &T)> {
        let mut seen = vec![false; self.values.len()];
        let with_place = leaves.into_iter().map(|leaf| (leaf, self.which[leaf.position()] as usize));
        let first = with_place.filter(|(_, which)| !std::mem::replace(&mut seen[*which], true));
        first.map(|(leaf, which)| (leaf, &self.values[which])).collect()
    }

    /// The same tasks with the values that `make` has for those that one of `leaves` has, and nothing for the others.
    ///
    /// # Errors
    /// The first error of `make`, which gets the value and the first task that has it.
    pub fn try_map_of<U, E>(
        &self,
        leaves: impl IntoIterator<Item = NodeIx>,
        mut make: impl FnMut(NodeIx, &T) -> Result<Option<U>, E>,
    ) -> Result<PerTask<Option<U>>, E> {
        let mut values: Vec<Option<U>> = self.values.iter().map(|_| None).collect();
        for (leaf, value) in self.first_of_each(leaves) {
            values[self.which[leaf.position()] as usize] = make(leaf, value)?;
        }
        Ok(PerTask { values, which: self.which.clone() })
    }
}
