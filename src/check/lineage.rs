//! Finds out from messages alone which steps belong to the same task: two plans may use the same id, and a plan may
//! give an id to another task.

use std::collections::HashMap;

use crate::record::{PlanClaim, TaskId, title};

/// What distinguishes the task of a step from others with the same id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskIdentity {
    plan: PlanClaim,
    /// The name of the task in the subject, as far as it is shown there.
    name: Option<Vec<u8>>,
}

impl TaskIdentity {
    /// Reads the message of a step.
    #[must_use]
    pub fn of(message: &[u8]) -> Self {
        let title = title(message);
        let is_quote = |byte: &u8| *byte == b'"';
        let (first, last) = (title.iter().position(is_quote), title.iter().rposition(is_quote));
        let name = first.zip(last).and_then(|(first, last)| title.get(first + 1..last)).map(<[u8]>::to_vec);
        Self { plan: PlanClaim::of(message), name }
    }
}

/// Which known task a step belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaskMatch {
    /// It is the one with this number.
    Known(usize),
    /// No task with its id was seen.
    New,
    /// Steps with its id were seen from another plan or under another name, so it may be any of these tasks.
    Unclear,
}

/// The numbers of tasks, by id and identity.
#[derive(Debug, Default)]
pub(super) struct Lineage {
    /// For each plan, the task that was last seen with an id.
    lines: HashMap<TaskId, Vec<(TaskIdentity, usize)>>,
}

impl Lineage {
    /// The task of a step; `next` is its number if it is not known yet.
    pub(super) fn find(&mut self, task: &TaskId, identity: &TaskIdentity, next: usize) -> TaskMatch {
        let Some(lines) = self.lines.get_mut(task) else {
            self.lines.insert(task.clone(), vec![(identity.clone(), next)]);
            return TaskMatch::New;
        };
        let Some((known, number)) = lines.iter_mut().find(|(known, _)| known.plan == identity.plan) else {
            lines.push((identity.clone(), next));
            return TaskMatch::Unclear;
        };
        let is_other = |(one, other): (&Vec<u8>, &Vec<u8>)| one != other;
        if known.name.as_ref().zip(identity.name.as_ref()).is_some_and(is_other) {
            (*known, *number) = (identity.clone(), next);
            return TaskMatch::Unclear;
        }
        known.name = known.name.take().or_else(|| identity.name.clone());
        TaskMatch::Known(*number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(name: &str, plan: &str) -> TaskIdentity {
        let plan = if plan.is_empty() { String::new() } else { format!("Arborist-Plan: {plan}\n") };
        TaskIdentity::of(format!("task(T1): implement {name}\n\nArborist-Step: implement\n{plan}").as_bytes())
    }

    #[test]
    fn a_task_is_recognised_by_its_plan_and_its_last_name() {
        use TaskMatch::{Known, New, Unclear};
        let steps = [
            (r#""one""#, "", New),
            (r#""one" (failed, attempt 1/5)"#, "", Known(0)),
            ("without a name", "", Known(0)),
            (r#""two""#, "", Unclear),
            (r#""two""#, "", Known(3)),
            (r#""one""#, "", Unclear),
            (r#""one""#, "b.json", Unclear),
            (r#""one""#, "b.json", Known(6)),
            (r#""one""#, "", Known(5)),
        ];
        let mut lineage = Lineage::default();
        let task = TaskId::parse("T1").unwrap();
        for (number, (name, plan, expected)) in steps.into_iter().enumerate() {
            assert_eq!(lineage.find(&task, &identity(name, plan), number), expected, "{number}");
        }
    }
}
