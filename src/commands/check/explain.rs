//! `check --explain`: explains a rule, with an example that breaks it and one that does not.

use crate::check::{RULES, Rule, RuleInfo};
use crate::error::{Error, Kind, Result};
use crate::report;
use crate::text::wrapped;

/// Explains one rule, or lists all.
pub(super) fn explain(id: &str) -> Result<()> {
    if id == "all" {
        let line = |info: &RuleInfo| format!("{}  {:<8} {}\n", info.id, info.level.word(), info.about);
        return report::print(&RULES.iter().copied().flatten().map(line).collect::<String>());
    }
    let Some(rule) = Rule::from_id(id) else {
        return Err(Error::new(
            Kind::Input,
            format!("`{}` is not a rule", crate::text::one_line(id)),
            "`git arborist check --explain all` lists them.",
        ));
    };
    report::print(&text(rule.info()))
}

fn text(info: &RuleInfo) -> String {
    let indented = |example: &str| {
        let shown: String =
            example.chars().map(|c| if c == '\n' || !c.is_control() { c } else { '?' }).collect();
        shown.lines().map(|line| format!("    {line}").trim_end().to_owned() + "\n").collect::<String>()
    };
    format!(
        "{} {} ({}): {}\n\n{}\n\nWrong:\n\n{}\nRight:\n\n{}\nTo change its level: git config arborist.hook.level.{} \
         error|warning|off\n",
        info.id,
        info.name,
        info.level.word(),
        info.about,
        wrapped(info.why),
        indented(info.wrong),
        indented(info.right),
        info.id
    )
}
