//! Finds all of many words in one pass over bytes that come in pieces (Aho and Corasick, 1975).

/// The root of the trie, and the state before anything was read.
pub(super) const ROOT: State = 0;
/// No edge.
const NONE: State = State::MAX;

/// A state: the longest end of what was read with which a word begins.
pub(super) type State = u32;

/// A trie of words, each node with the way back to the longest other beginning that it ends with.
pub(super) struct Automaton {
    nodes: Vec<Node>,
    /// The edges of the root, in full: most bytes begin no word.
    first: Box<[State; 256]>,
}

#[derive(Clone, Copy)]
struct Node {
    /// The byte that leads here.
    byte: u8,
    /// The first of the nodes below, which are linked by `sibling`.
    child: State,
    sibling: State,
    /// Where to go on when no edge fits.
    fallback: State,
    /// How many bytes of a word have been read.
    depth: u32,
    /// The length of the longest word that ends here; 0 where none does.
    ends: u32,
}

impl Automaton {
    /// An automaton for words of two bytes and more.
    pub(super) fn new(words: &[&[u8]]) -> Self {
        let root = Node { byte: 0, child: NONE, sibling: NONE, fallback: ROOT, depth: 0, ends: 0 };
        let mut automaton = Self { nodes: vec![root], first: Box::new([ROOT; 256]) };
        for word in words {
            automaton.add(word);
        }
        for state in automaton.below(ROOT) {
            automaton.first[usize::from(automaton.node(state).byte)] = state;
        }
        automaton.link();
        automaton
    }

    fn add(&mut self, word: &[u8]) {
        let mut state = ROOT;
        for &byte in word {
            state = match self.child(state, byte) {
                Some(next) => next,
                None => self.grow(state, byte),
            };
        }
        let node = &mut self.nodes[state as usize];
        node.ends = node.depth;
    }

    fn grow(&mut self, parent: State, byte: u8) -> State {
        let new = u32::try_from(self.nodes.len()).unwrap_or(NONE);
        let above = &mut self.nodes[parent as usize];
        let (sibling, depth) = (above.child, above.depth + 1);
        above.child = new;
        self.nodes.push(Node { byte, child: NONE, sibling, fallback: ROOT, depth, ends: 0 });
        new
    }

    /// Sets the ways back, the shallow nodes first: each follows from that of the node above.
    fn link(&mut self) {
        let mut row = self.below(ROOT);
        while !row.is_empty() {
            let mut next = Vec::new();
            for state in row {
                for child in self.below(state) {
                    let fallback = self.step(self.node(state).fallback, self.node(child).byte);
                    let ends = self.node(fallback).ends;
                    let node = &mut self.nodes[child as usize];
                    node.fallback = fallback;
                    node.ends = node.ends.max(ends);
                    next.push(child);
                }
            }
            row = next;
        }
    }

    fn below(&self, state: State) -> Vec<State> {
        let first = Some(self.node(state).child);
        let next = |state: &State| Some(self.node(*state).sibling).filter(|state| *state != NONE);
        std::iter::successors(first.filter(|state| *state != NONE), next).collect()
    }

    fn child(&self, state: State, byte: u8) -> Option<State> {
        let mut child = self.node(state).child;
        while child != NONE {
            let node = self.node(child);
            if node.byte == byte {
                return Some(child);
            }
            child = node.sibling;
        }
        None
    }

    fn node(&self, state: State) -> &Node {
        &self.nodes[state as usize]
    }

    /// The state after one more byte.
    pub(super) fn step(&self, mut state: State, byte: u8) -> State {
        while state != ROOT {
            if let Some(next) = self.child(state, byte) {
                return next;
            }
            state = self.node(state).fallback;
        }
        self.first[usize::from(byte)]
    }

    /// How many of the last bytes may be the beginning of a word.
    pub(super) fn depth(&self, state: State) -> usize {
        self.node(state).depth as usize
    }

    /// The length of the longest word that has just ended; 0 if none has.
    pub(super) fn ends(&self, state: State) -> usize {
        self.node(state).ends as usize
    }

    /// How many of the first bytes begin no word; all words are longer than one byte.
    pub(super) fn skip(&self, bytes: &[u8]) -> usize {
        let begins = |(at, byte): (usize, &u8)| match (self.first[usize::from(*byte)], bytes.get(at + 1)) {
            (ROOT, _) => false,
            (_, None) => true,
            (state, Some(next)) => self.child(state, *next).is_some(),
        };
        bytes.iter().enumerate().position(begins).unwrap_or(bytes.len())
    }
}
