//! Places the nodes of a graph in layers, each to the right of everything that it depends on.

/// A graph: for each node, the nodes that it depends on.
pub(super) struct DependencyGraph {
    needs: Vec<Vec<usize>>,
}

/// A place in a drawing: the column, and the row in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) column: usize,
    pub(super) row: usize,
}

/// How many nodes are above each other before another column begins.
const TALLEST: usize = 12;

impl DependencyGraph {
    /// A graph without the dependencies that follow from others. `needs` has no cycle: a node only needs nodes before it.
    pub(super) fn new(needs: Vec<Vec<usize>>) -> Self {
        let count = needs.len();
        let mut behind: Vec<Vec<bool>> = Vec::with_capacity(count);
        let mut reduced = Vec::with_capacity(count);
        for (node, direct) in needs.into_iter().enumerate() {
            let mut direct: Vec<usize> = direct.into_iter().filter(|need| *need < node).collect();
            direct.sort_unstable();
            direct.dedup();
            let implied = |need: usize| direct.iter().any(|other| *other != need && behind[*other][need]);
            let kept: Vec<usize> = direct.iter().copied().filter(|need| !implied(*need)).collect();
            let mut all = vec![false; count];
            for need in &direct {
                all[*need] = true;
                all.iter_mut().zip(&behind[*need]).for_each(|(mine, theirs)| *mine |= *theirs);
            }
            behind.push(all);
            reduced.push(kept);
        }
        Self { needs: reduced }
    }

    /// The dependencies of a node that are drawn.
    pub(super) fn needs(&self, node: usize) -> &[usize] {
        &self.needs[node]
    }

    /// The nodes that depend on something or on which something depends.
    pub(super) fn connected(&self) -> Vec<bool> {
        let mut connected: Vec<bool> = self.needs.iter().map(|needs| !needs.is_empty()).collect();
        for need in self.needs.iter().flatten() {
            connected[*need] = true;
        }
        connected
    }

    /// The place of every connected node.
    pub(super) fn cells(&self) -> Vec<Option<Cell>> {
        let connected = self.connected();
        let mut layer = vec![0; self.needs.len()];
        for node in 0..self.needs.len() {
            layer[node] = self.needs[node].iter().map(|need| layer[*need] + 1).max().unwrap_or(0);
        }
        let mut cells: Vec<Option<Cell>> = vec![None; self.needs.len()];
        let mut column = 0;
        for wanted in 0..=layer.iter().copied().max().unwrap_or(0) {
            let mut nodes: Vec<usize> =
                (0..layer.len()).filter(|node| connected[*node] && layer[*node] == wanted).collect();
            // Each comes as high as what it depends on, so that lines seldom cross.
            nodes.sort_by_key(|node| (self.height(*node, &cells), *node));
            for (place, node) in nodes.iter().enumerate() {
                cells[*node] = Some(Cell { column: column + place / TALLEST, row: place % TALLEST });
            }
            column += nodes.len().div_ceil(TALLEST);
        }
        cells
    }

    /// The average row of what a node depends on, in hundredths.
    fn height(&self, node: usize, cells: &[Option<Cell>]) -> usize {
        let needs = &self.needs[node];
        let rows: usize = needs.iter().filter_map(|need| cells[*need]).map(|cell| cell.row * 100).sum();
        rows.checked_div(needs.len()).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_is_to_the_right_of_what_it_needs_and_implied_lines_are_left_out() {
        let graph = DependencyGraph::new(vec![vec![], vec![0], vec![0, 1], vec![], vec![0]]);
        assert_eq!(graph.needs(2), [1]);
        assert_eq!(graph.connected(), [true, true, true, false, true]);
        let cells = graph.cells();
        let column = |node: usize| cells[node].unwrap().column;
        assert!(column(0) < column(1) && column(1) < column(2) && column(0) < column(4));
        assert_eq!(cells[3], None);
    }

    #[test]
    fn a_layer_with_many_nodes_takes_several_columns_and_no_place_is_taken_twice() {
        let graph = DependencyGraph::new(std::iter::once(vec![]).chain((0..40).map(|_| vec![0])).collect());
        let cells: Vec<Cell> = graph.cells().into_iter().flatten().collect();
        assert_eq!(cells.len(), 41);
        let mut places: Vec<_> = cells.iter().map(|cell| (cell.column, cell.row)).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), 41);
        assert!(cells.iter().all(|cell| cell.row < TALLEST));
    }
}
