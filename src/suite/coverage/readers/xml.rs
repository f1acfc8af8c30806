//! Parses XML within bounds.

use roxmltree::{Document, Node, ParsingOptions};

use super::budget::ReadError;

/// How many attributes an element may have. The parser compares each with all others.
const MOST_ATTRIBUTES: usize = 100;

/// How many elements and texts a report may have.
const MOST_NODES: u32 = 20_000_000;

/// Parses a report whose outermost element is `root`.
pub(super) fn parse<'a>(text: &'a str, root: &str) -> Result<Document<'a>, ReadError> {
    if has_wide_element(text) {
        return Err(ReadError::new("has an XML element with more than 100 attributes"));
    }
    // Reports name their DTD, which is not loaded. The parser bounds what entities may grow to.
    let options = ParsingOptions { allow_dtd: true, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|error| ReadError::new(format!("cannot be read as XML: {error}")))?;
    let found = document.root_element().tag_name().name();
    if found != root {
        return Err(ReadError::new(format!("begins with the element <{found}> and not with <{root}>")));
    }
    Ok(document)
}

/// Whether more equal signs are between `<` and `>` than an element may have attributes. Signs in values, in comments and
/// in declarations count as well, which does no harm: no report has so many there either.
fn has_wide_element(text: &str) -> bool {
    let mut signs = 0;
    text.bytes().any(|byte| {
        match byte {
            b'<' | b'>' => signs = 0,
            b'=' => signs += 1,
            _ => {}
        }
        signs > MOST_ATTRIBUTES
    })
}

/// The children of an element with this name.
pub(super) fn children<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}
