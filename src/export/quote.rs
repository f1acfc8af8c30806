//! Quotes texts for the languages of job files, so that no value of a plan or a setting is read as a part of the language.

/// A text as a scalar of YAML in double quotes.
pub(super) fn yaml(text: &str) -> String {
    // Every string of JSON is one of YAML.
    serde_json::to_string(text).expect("a text is always JSON")
}

/// Lines as the content of a block of YAML, so many blanks deep.
pub(super) fn block(text: &str, depth: usize) -> String {
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("{:depth$}{line}\n", "") };
    text.lines().map(line).collect()
}

/// A text in which GitHub finds no expression.
pub(super) fn github(text: &str) -> String {
    text.replace("${{", "${{ '${{' }}")
}

/// A text of a command in which Kubernetes replaces no reference to a variable.
pub(super) fn kubernetes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        out.push(c);
        if c == '$' && matches!(rest.peek(), Some('$' | '(')) {
            out.push('$');
        }
    }
    out
}

/// A text in which make finds no reference to a variable.
pub(super) fn make(text: &str) -> String {
    text.replace('$', "$$")
}

/// A name that differs from those before it, and contains only letters, digits, `_` and `-`.
pub(super) fn plain_names<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken = std::collections::HashSet::new();
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let mut names = Vec::new();
    for id in ids {
        let base: String = id.chars().map(plain).collect();
        let name = std::iter::once(base.clone()).chain((2..).map(|number| format!("{base}__{number}")));
        let name =
            name.into_iter().find(|name| !taken.contains(name)).expect("there is always another number");
        taken.insert(name.clone());
        names.push(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_gets_its_own_escapes() {
        assert_eq!(yaml("a: \"b\" # c\\"), r#""a: \"b\" # c\\""#);
        assert_eq!(block("a\n\nb", 2), "  a\n\n  b\n");
        assert_eq!(github("${{ secrets.X }} $X"), "${{ '${{' }} secrets.X }} $X");
        assert_eq!(make("$(X) $$"), "$$(X) $$$$");
        for (text, quoted) in
            [("$X", "$X"), ("$(X)", "$$(X)"), ("$$", "$$$"), ("$$x", "$$$x"), ("$$(", "$$$$("), ("$", "$")]
        {
            assert_eq!(kubernetes(text), quoted, "{text}");
        }
    }

    #[test]
    fn two_tasks_never_share_a_name() {
        assert_eq!(
            plain_names(["a.b", "a_b", "a_b__2", "a.b"].into_iter()),
            ["a_b", "a_b__2", "a_b__2__2", "a_b__3"]
        );
    }
}
