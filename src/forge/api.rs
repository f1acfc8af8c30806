//! Calls the API of a forge through its program. The text of a request goes through standard input.

use serde::Serialize;
use serde_json::Value;

use super::place::ForgePlace;
use super::program::{ForgeProgram, said};
use crate::error::{Error, Kind, Result};
use crate::text::one_line;

/// The API of the forge of a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Api<'a> {
    pub(super) program: &'a ForgeProgram,
    pub(super) place: &'a ForgePlace,
}

impl Api<'_> {
    pub(super) fn get(&self, endpoint: &str) -> Result<Value> {
        self.call("GET", endpoint, None)
    }

    pub(super) fn send(&self, method: &str, endpoint: &str, body: &impl Serialize) -> Result<Value> {
        let body = serde_json::to_string(body).expect("plain values with texts as keys are always JSON");
        self.call(method, endpoint, Some(body))
    }

    fn call(&self, method: &str, endpoint: &str, body: Option<String>) -> Result<Value> {
        let mut args = vec!["api", "--hostname", &self.place.host, "--method", method];
        if body.is_some() {
            args.extend(self.program.kind.row().sends);
        }
        args.push(endpoint);
        let args: Vec<String> = args.into_iter().map(str::to_owned).collect();
        let ended = self.program.run(&args, body.unwrap_or_default())?;
        let answer: Option<Value> = serde_json::from_slice(&ended.stdout).ok();
        let refusal = answer.as_ref().and_then(refusal);
        match (ended.status.success(), answer) {
            (true, Some(answer)) if refusal.is_none() => Ok(answer),
            _ => {
                let parts: Vec<String> = [said(&ended), refusal.unwrap_or_default()]
                    .into_iter()
                    .filter(|part| !part.is_empty())
                    .collect();
                Err(self.refused(&one_line(&parts.join("; "))))
            }
        }
    }

    fn refused(&self, said: &str) -> Error {
        let name = self.program.name();
        let said = if said.is_empty() { "it said nothing that can be understood" } else { said };
        let remedy = if ["401", "not logged in", "auth login", "Bad credentials"]
            .iter()
            .any(|sign| said.contains(sign))
        {
            format!("Log in again: `{}`.", self.program.login_command(self.place))
        } else if said.contains("Draft pull requests are not supported") {
            "Open it for review at once, with --ready or `git config arborist.pr.draft false`.".to_owned()
        } else if said.contains("404") {
            format!("Check that your login may see {}.", self.place.page())
        } else {
            format!("Look at {}, then run the same command again.", self.place.page())
        };
        Error::new(Kind::Environment, format!("{name} failed: {said}"), remedy)
    }
}

/// What a forge says about a call that it refuses.
fn refusal(answer: &Value) -> Option<String> {
    let object = answer.as_object()?;
    let has_id = ["number", "iid", "id"].iter().any(|key| object.contains_key(*key));
    let message = object.get("message").or_else(|| object.get("error")).filter(|_| !has_id)?;
    let details = object.get("errors").and_then(Value::as_array).into_iter().flatten();
    let details = details.filter_map(|error| error["message"].as_str().or_else(|| error.as_str()));
    let text = message.as_str().map_or_else(|| message.to_string(), str::to_owned);
    Some(std::iter::once(text.as_str()).chain(details).collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_forge_refuses_is_quoted() {
        let answer =
            json!({"message": "Validation Failed", "errors": [{"message": "A pull request already exists"}]});
        assert_eq!(refusal(&answer).unwrap(), "Validation Failed; A pull request already exists");
        assert_eq!(refusal(&json!({"message": ["one", "two"]})).unwrap(), "[\"one\",\"two\"]");
        assert_eq!(refusal(&json!({"error": "404 Not found"})).unwrap(), "404 Not found");
        assert_eq!(refusal(&json!({"number": 1, "message": null})), None);
        assert_eq!(refusal(&json!([])), None);
    }
}
