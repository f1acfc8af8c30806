//! Refuses keys and variables that are no settings, and says which setting was meant.

use super::environment::Environment;
use super::origin::Origin;
use super::row::SettingRule;
use super::settings::Setting;
use crate::error::{Error, Kind, Result};
use crate::suggest;
use crate::text::gone;

/// Refuses a variable that was most likely meant to be a setting, because the run would otherwise use other settings
/// than the user believes. Variables that begin with `ARBORIST_` but resemble no setting may belong to other programs.
pub(super) fn refuse_misspelt(environment: &Environment) -> Result<()> {
    if let Some((name, instead)) =
        environment.unknown().find_map(|name| Some((name, gone::instead_of_setting(name)?)))
    {
        return Err(Error::new(
            Kind::Input,
            format!("the environment variable {name} is not a setting any more"),
            format!("{instead} Unset the variable."),
        ));
    }
    let Some((name, meant)) =
        environment.unknown().find_map(|name| Some((name, Setting::misspelt_as(name)?)))
    else {
        return Ok(());
    };
    Err(Error::new(
        Kind::Input,
        format!("the environment variable {name} is not a setting"),
        match meant.rule() {
            SettingRule { env: Some(env), .. } => {
                format!("{}Correct its name or unset it.", suggest::question(Some(env)))
            }
            SettingRule { key, .. } => {
                format!("Only git config may set that: `git config arborist.{key} ...`. Unset the variable.")
            }
        },
    ))
}

pub(super) fn unknown_key(key: &str, origin: &Origin) -> Error {
    let bare = key.strip_prefix("arborist.").unwrap_or(key);
    if let Some(instead) = gone::instead_of_setting(&format!("arborist.{bare}")) {
        let what = format!("{key} is not a setting any more ({origin})");
        return Error::new(Kind::Input, what, format!("{instead} Remove the key."));
    }
    let known = Setting::ALL.into_iter().map(|setting| setting.rule().key);
    let nearest = suggest::nearest(bare, known).and_then(Setting::from_key).map(|meant| meant.rule().key);
    let question = match (nearest, origin) {
        (Some(nearest), Origin::File(_)) => suggest::question(Some(nearest)),
        (nearest, _) => suggest::question(nearest.map(|nearest| format!("arborist.{nearest}")).as_deref()),
    };
    Error::new(
        Kind::Input,
        format!("{key} is not a setting ({origin})"),
        format!("{question}Correct the key or remove it."),
    )
}
