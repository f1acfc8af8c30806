//! Makes enums whose variants have a word each in messages, trailers or documents, so that the word stands beside its variant and
//! nowhere else.

/// An enum with the word of each variant behind it.
macro_rules! words {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident $word:literal,)+ }) => {
        $(#[$meta])*
        pub enum $name {
            $($(#[$doc])* $variant,)+
        }

        impl $name {
            /// All of them, in order.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// Their words, in the same order.
            pub const WORDS: [&'static str; Self::ALL.len()] = [$($word),+];

            /// The word for it.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// The one with exactly this word.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|own| own.word() == word)
            }
        }
    };
}
pub(crate) use words;
