//! Finds out which company makes a model.

/// The companies that make models, with the words by which the names of their models are known. A word that ends in `*`
/// may be followed by anything, such as a version.
const VENDORS: &[(&str, &[&str])] = &[
    ("Anthropic", &["anthropic", "claude*", "opus", "sonnet", "haiku"]),
    ("OpenAI", &["openai", "gpt*", "chatgpt*", "codex*", "o1", "o3", "o4"]),
    ("Google", &["google", "gemini*", "gemma*"]),
    ("Meta", &["meta", "llama*"]),
    ("Mistral", &["mistral*", "mixtral*", "codestral*", "devstral*", "magistral*"]),
    ("DeepSeek", &["deepseek*"]),
    ("Alibaba", &["alibaba", "qwen*", "qwq*"]),
    ("xAI", &["xai", "grok*"]),
    ("Moonshot", &["moonshot*", "kimi*"]),
    ("Zhipu", &["zhipu*", "zai", "glm*"]),
    ("Cohere", &["cohere", "command"]),
];

/// The short names that claude has for its models.
const ALIASES: &[&str] = &["opus", "sonnet", "haiku"];

/// The company that makes the model with this name, if the name tells. In `openrouter/anthropic/claude-opus`, the last
/// part that is known decides. A name with words of several companies tells nothing.
#[must_use]
pub(super) fn vendor_of_model(model: &str) -> Option<&'static str> {
    model.rsplit('/').find_map(|part| {
        let mut found = VENDORS.iter().filter(|(_, known)| words(part).any(|word| is_one_of(&word, known)));
        let (vendor, _) = found.next()?;
        found.next().is_none().then_some(*vendor)
    })
}

/// Whether two names may mean the same model. A provider before the name does not matter, and `opus` may be every model
/// with this word in its name.
#[must_use]
pub(super) fn may_be_same_model(one: &str, other: &str) -> bool {
    let bare = |name: &str| name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let (one, other) = (bare(one), bare(other));
    let is_alias_of =
        |alias: &str, name: &str| ALIASES.contains(&alias) && words(name).any(|word| word == alias);
    one == other || is_alias_of(&one, &other) || is_alias_of(&other, &one)
}

fn words(name: &str) -> impl Iterator<Item = String> {
    name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| match known.strip_suffix('*') {
        Some(beginning) => word.starts_with(beginning),
        None => word == *known,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_model_tells_its_vendor_or_nothing() {
        for (model, vendor) in [
            ("opus", Some("Anthropic")),
            ("anthropic/claude-sonnet-4-5", Some("Anthropic")),
            ("us.anthropic.claude-opus-4-20250514-v1:0", Some("Anthropic")),
            ("google-vertex/claude-sonnet-4", Some("Anthropic")),
            ("openrouter/openai/gpt-5-mini", Some("OpenAI")),
            ("o3", Some("OpenAI")),
            ("gemini-2.5-pro", Some("Google")),
            ("qwen3-coder", Some("Alibaba")),
            ("openai/house-model", Some("OpenAI")),
            ("deepseek-r1-distill-llama", None),
            ("house-model", None),
            ("o3000", None),
            ("", None),
        ] {
            assert_eq!(vendor_of_model(model), vendor, "{model}");
        }
    }

    #[test]
    fn a_short_name_may_be_any_model_with_this_word() {
        assert!(may_be_same_model("opus", "anthropic/claude-opus-4"));
        assert!(may_be_same_model("openai/GPT-5", "gpt-5"));
        assert!(!may_be_same_model("gpt-5", "gpt-5-mini"));
        assert!(!may_be_same_model("opus", "sonnet"));
    }
}
