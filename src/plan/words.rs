//! The words of a plan that stand for one of a few kinds.

/// Makes an enum whose values have a word each.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $value:ident = $word:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$doc])* $value,)+ }

        impl $name {
            /// All of them, in the order of the documentation.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// The word for it in a plan.
            pub fn word(self) -> &'static str {
                match self { $(Self::$value => $word,)+ }
            }

            /// The one with exactly this word.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.word() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.word())
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }
    };
}

pub(super) use words;
