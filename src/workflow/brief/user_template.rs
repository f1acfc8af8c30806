//! Templates of users: their own text around the sections of a brief.

use super::sections::TABLE;

/// The placeholder for all sections.
const ALL: &str = "sections";

/// A template with everything that a brief needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserTemplate(String);

impl UserTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// The placeholders that are missing.
    pub fn parse(text: &str) -> Result<Self, Vec<&'static str>> {
        let has = |name: &str| text.contains(&format!("{{{name}}}"));
        let missing: Vec<&str> = ["task", "answer"].into_iter().filter(|name| !has(name)).collect();
        if has(ALL) || missing.is_empty() { Ok(Self(text.to_owned())) } else { Err(missing) }
    }

    /// The words in braces that name no section. Most of them are text, such as an example of code, but one may be misspelt.
    #[must_use]
    pub fn other_words(text: &str) -> Vec<&str> {
        let words = text.split('{').skip(1).filter_map(|behind| Some(behind.split_once('}')?.0));
        let is_word = |word: &&str| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        words.filter(is_word).filter(|word| !Self::names().any(|name| name == *word)).collect()
    }

    /// What a template may name in braces.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        TABLE.iter().map(|row| row.name).chain([ALL])
    }

    /// The template with its sections. Those that a brief does not have are left out, and so is a line with nothing else.
    /// `value` says what a section is, and `all` are all of them.
    pub(super) fn fill(&self, all: &str, value: impl Fn(&str) -> String) -> String {
        let mut text = String::new();
        for line in self.0.lines() {
            let filled = fill_line(line, all, &value);
            if filled.trim().is_empty() && !line.trim().is_empty() {
                continue;
            }
            text.push_str(filled.trim_end());
            text.push('\n');
        }
        text
    }

    /// Whether it says where a section belongs.
    pub(super) fn places(&self, name: &str) -> bool {
        [ALL, name].iter().any(|name| self.0.contains(&format!("{{{name}}}")))
    }
}

/// A line with its placeholders replaced. The text of a section is not searched for placeholders.
fn fill_line(line: &str, all: &str, value: impl Fn(&str) -> String) -> String {
    let mut filled = String::new();
    let mut rest = line;
    while let Some(open) = rest.find('{') {
        filled.push_str(&rest[..open]);
        rest = &rest[open..];
        let inside =
            |name: &&str| rest[1..].strip_prefix(*name).is_some_and(|behind| behind.starts_with('}'));
        match UserTemplate::names().find(inside) {
            Some(name) => {
                filled.push_str(if name == ALL { all.to_owned() } else { value(name) }.trim_end());
                rest = &rest[name.len() + 2..];
            }
            None => {
                filled.push('{');
                rest = &rest[1..];
            }
        }
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_needs_the_task_and_the_answer_or_all_sections() {
        assert!(UserTemplate::parse("{sections}").is_ok());
        assert!(UserTemplate::parse("{task} and {answer}").is_ok());
        assert_eq!(UserTemplate::parse("{task} {place}"), Err(vec!["answer"]));
        assert_eq!(UserTemplate::parse("{ task }{tasks}"), Err(vec!["task", "answer"]));
    }

    #[test]
    fn words_in_braces_that_name_no_section_are_told_apart() {
        let text = "{sections} {tsak} {answer} { place } {} {x1} {done_befor} {";
        assert_eq!(UserTemplate::other_words(text), ["tsak", "done_befor"]);
    }

    #[test]
    fn sections_are_put_where_a_template_names_them_and_nothing_else_is_changed() {
        let template = UserTemplate::parse("Hello {x} {{task}}\n\n{place}\n{merge}\n{answer}!\n").unwrap();
        let filled = template.fill("all", |name| match name {
            "merge" => String::new(),
            name => format!("<{name} {{task}}>\n"),
        });
        assert_eq!(filled, "Hello {x} {<task {task}>}\n\n<place {task}>\n<answer {task}>!\n");
        let all = UserTemplate::parse("{sections}\nBe kind.").unwrap();
        assert_eq!(all.fill("all\n", |_| String::new()), "all\nBe kind.\n");
        assert!(all.places("extra") && !template.places("extra"));
    }
}
