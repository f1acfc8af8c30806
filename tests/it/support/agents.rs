//! Scripts that print what real agents print.

/// A shell function `say WORDS` that ends the stream of an agent with a final message. The words must need no escape in JSON.
pub(crate) fn say(agent: &str) -> &'static str {
    match agent {
        "claude" => {
            r#"say() {
    printf '{"type":"system","subtype":"init","session_id":"s1"}\n'
    printf '{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"%s"}]}}\n' "$*"
    printf '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"%s","session_id":"s1",' "$*"
    printf '"total_cost_usd":0.25,"usage":{"input_tokens":100,"output_tokens":20,"cache_read_input_tokens":900}}\n'
}"#
        }
        "codex" => {
            r#"say() {
    printf '{"type":"thread.started","thread_id":"t1"}\n{"type":"turn.started"}\n'
    printf '{"type":"item.completed","item":{"id":"i1","type":"agent_message","text":"%s"}}\n' "$*"
    printf '{"type":"turn.completed","usage":{"input_tokens":1000,"cached_input_tokens":900,"output_tokens":20}}\n'
}"#
        }
        "gemini" => {
            r#"say() {
    printf '{"type":"init","session_id":"g1"}\n'
    printf '{"type":"message","role":"assistant","content":"%s","delta":true}\n' "$*"
    printf '{"type":"result","status":"success","stats":{"total_tokens":120,"input_tokens":100,"output_tokens":20}}\n'
}"#
        }
        "opencode" => {
            r#"say() {
    printf '{"type":"step_start","sessionID":"o1","part":{"type":"step-start","messageID":"m1"}}\n'
    printf '{"type":"text","sessionID":"o1","part":{"type":"text","messageID":"m1","text":"%s"}}\n' "$*"
    printf '{"type":"step_finish","sessionID":"o1","part":{"type":"step-finish","messageID":"m1","reason":"stop",'
    printf '"tokens":{"input":100,"output":20,"reasoning":0,"cache":{"read":900,"write":0}},"cost":0.25}}\n'
}"#
        }
        _ => panic!("there is no stream of {agent} here"),
    }
}
