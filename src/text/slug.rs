//! Makes a part of a name from a text.

/// The text in small ASCII letters and digits with `-` between the words, at most `limit` characters long and cut at the end
/// of a word. A first word that is longer is cut anywhere. Empty if there is nothing of that kind in the text.
#[must_use]
pub fn slug(text: &str, limit: usize) -> String {
    let lower: String = text.to_lowercase().replace('ß', "ss").chars().map(plain).collect();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut slug = String::new();
    for word in words {
        let is_first = slug.is_empty();
        if is_first {
            slug.extend(word.chars().take(limit));
        } else if slug.len() + 1 + word.len() <= limit {
            slug.push('-');
            slug.push_str(word);
        } else {
            break;
        }
    }
    slug
}

/// Letters that have a mark, and what they are without it.
const MARKED: [(&str, char); 15] = [
    ("àáâãäåāăą", 'a'),
    ("çćĉċč", 'c'),
    ("ďđ", 'd'),
    ("èéêëēĕėęě", 'e'),
    ("ĝğġģ", 'g'),
    ("ìíîïĩīĭįı", 'i'),
    ("ĺļľŀł", 'l'),
    ("ñńņň", 'n'),
    ("òóôõöøōŏő", 'o'),
    ("ŕŗř", 'r'),
    ("śŝşš", 's'),
    ("ţťŧ", 't'),
    ("ùúûüũūŭůűų", 'u'),
    ("ýÿŷ", 'y'),
    ("źżž", 'z'),
];

/// A letter without its mark.
fn plain(letter: char) -> char {
    let row = MARKED.iter().find(|(marked, _)| marked.contains(letter));
    row.map_or(letter, |(_, plain)| *plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_cut_at_the_end_of_a_word() {
        let cases = [
            ("User metrics tracking", "user-metrics-tracking"),
            ("Größe für Zähler", "grosse-fur-zahler"),
            ("  Add /api/metrics (POST)!  ", "add-api-metrics-post"),
            ("Count the users of the last forty days precisely", "count-the-users-of-the-last-forty-days"),
            ("Größe ändern", "grosse-andern"),
            ("...", ""),
            (
                "Donaudampfschifffahrtsgesellschaftskapitaenspatent",
                "donaudampfschifffahrtsgesellschaftskapit",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(slug(text, 40), expected);
            assert!(slug(text, 40).len() <= 40);
        }
    }
}
