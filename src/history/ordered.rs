//! Reads the commits of a range into a graph and puts them in order.

use super::anchor::{PlanVersions, find_anchor};
use super::graph::{Annotate, Graph, Node};
use super::order::children_first;
use super::plan_tracker::PlanTracker;
use super::range::{Range, RangeStart};
use super::reachability::{Reachability, reachability};
use crate::error::Result;

/// The commits of a range in a graph, with children before parents, and the version of the plan at each.
pub(super) struct OrderedRange {
    /// The commit after which the range begins.
    pub(super) anchor: Option<Node>,
    pub(super) reachability: Reachability,
    pub(super) order: Vec<Node>,
    pub(super) versions: PlanVersions,
}

impl OrderedRange {
    /// Reads the commits of a range into a graph.
    pub(super) fn read<A: Annotate>(graph: &mut Graph<'_, A>, range: &Range) -> Result<Self> {
        let head = graph.load(range.top())?;
        let tree = graph.commit(head).tree;
        let (mut tracker, version) = PlanTracker::begin(graph.source, range.scope(), tree)?;
        let anchor = match range.start() {
            RangeStart::Anchor(id) => Some(graph.load(id)?),
            RangeStart::RunBegins => find_anchor(graph, &mut tracker, head, &version)?,
            RangeStart::Root => None,
        };
        let reachability = reachability(graph, head, anchor)?;
        let order = children_first(graph, &reachability, head);
        let versions = PlanVersions::follow(graph, &mut tracker, version, &order)?;
        Ok(Self { anchor, reachability, order, versions })
    }
}
