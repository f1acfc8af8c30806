//! References that could not be put back: their lock is stale, the disk is full, another reference is in the way. They are noted
//! where the next run finds them, and are put back before anything else reads them.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::record::CommitId;

/// A reference that does not name what it has to name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwedReference {
    /// Its full name.
    pub name: String,
    /// What it has to name; `None` if it must not exist.
    pub wanted: Option<CommitId>,
    /// What it named when it could not be put back; `None` if it was gone or broken.
    pub found: Option<CommitId>,
    /// The reference that keeps what it has to name, or what it named if it must not exist. A person who removes it says that
    /// nothing is to be put back.
    pub kept: Option<String>,
}

/// The list of them, which all clones of a git share.
#[derive(Clone, Debug, Default)]
pub struct OwedReferences(Arc<Mutex<Vec<OwedReference>>>);

impl OwedReferences {
    /// Notes one, in place of what was noted of it before.
    pub fn note(&self, owed: OwedReference) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|noted| noted.name != owed.name);
        list.push(owed);
    }

    /// Forgets one that names what it has to name.
    pub fn forget(&self, name: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|noted| noted.name != name);
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> Vec<OwedReference> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The list of a git, with what is in this one.
    #[must_use]
    pub fn joined_to(&self, shared: &Self) -> Self {
        self.all().into_iter().for_each(|owed| shared.note(owed));
        shared.clone()
    }
}

impl PartialEq for OwedReferences {
    fn eq(&self, other: &Self) -> bool {
        self.all() == other.all()
    }
}

impl Eq for OwedReferences {}

impl Serialize for OwedReferences {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.all().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for OwedReferences {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Arc::new(Mutex::new(Vec::deserialize(deserializer)?))))
    }
}
