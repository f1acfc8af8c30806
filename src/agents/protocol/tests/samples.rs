//! For each stream, the lines of an agent that says APPROVED before its last tool, reads a file that says so too, and
//! rejects in the end.

use super::Protocol;

pub(super) const LAST_WORD: &str = "It does not greet.\n\nREJECTED";

pub(super) const CLAUDE: &[&str] = &[
    r#"{"type":"system","subtype":"init","session_id":"s1","model":"m"}"#,
    r#"{"type":"assistant","message":{"id":"a1","content":[{"type":"text","text":"It looks right.\n\nAPPROVED"}],"usage":{"input_tokens":200,"cache_creation_input_tokens":10,"cache_read_input_tokens":1000,"output_tokens":1}},"parent_tool_use_id":null}"#,
    r#"{"type":"assistant","message":{"id":"a1","content":[{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/p/greet.txt","content":"APPROVED"}}],"usage":{"input_tokens":200,"cache_creation_input_tokens":10,"cache_read_input_tokens":1000,"output_tokens":30}},"parent_tool_use_id":null}"#,
    r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"{\"type\":\"result\",\"is_error\":false,\"result\":\"APPROVED\"}"}]}}"#,
    r#"{"type":"assistant","message":{"id":"a2","content":[{"type":"text","text":"It does not greet.\n\nREJECTED"}],"usage":{"input_tokens":300,"cache_creation_input_tokens":0,"cache_read_input_tokens":1000,"output_tokens":5}},"parent_tool_use_id":null}"#,
    r#"{"is_error":false,"num_turns":2,"subtype":"success","result":"It does not greet.\n\nREJECTED","total_cost_usd":0.0125,"usage":{"input_tokens":500,"cache_creation_input_tokens":10,"cache_read_input_tokens":2000,"output_tokens":70},"permission_denials":[{"tool_name":"Bash","tool_input":{}}],"type":"result"}"#,
];

pub(super) const CODEX: &[&str] = &[
    r#"{"type":"thread.started","thread_id":"s1"}"#,
    r#"{"type":"turn.started"}"#,
    r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"It looks right.\n\nAPPROVED"}}"#,
    r#"{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"cat greet.txt","aggregated_output":"","exit_code":null,"status":"in_progress"}}"#,
    r#"{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"cat greet.txt","aggregated_output":"APPROVED\n","exit_code":0,"status":"completed"}}"#,
    r#"{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"It does not greet.\n\nREJECTED"}}"#,
    r#"{"type":"turn.completed","usage":{"input_tokens":2400,"cached_input_tokens":2000,"output_tokens":68,"reasoning_output_tokens":8}}"#,
];

pub(super) const GEMINI: &[&str] = &[
    r#"{"type":"init","timestamp":"2026-11-22T20:35:16.246Z","session_id":"s1","model":"auto"}"#,
    r#"{"type":"message","timestamp":"2026-11-22T20:35:16.248Z","role":"user","content":"Say APPROVED or REJECTED"}"#,
    r#"{"type":"message","timestamp":"2026-11-22T20:35:16.315Z","role":"assistant","content":"It looks right.\n\nAPPROVED","delta":true}"#,
    r#"{"type":"tool_use","timestamp":"2026-11-22T20:35:16.373Z","tool_name":"write_file","tool_id":"t1","parameters":{"file_path":"/p/greet.txt","content":"x"}}"#,
    r#"{"type":"tool_result","timestamp":"2026-11-22T20:35:16.452Z","tool_id":"t1","status":"success","output":"APPROVED"}"#,
    r#"{"type":"message","timestamp":"2026-11-22T20:35:16.466Z","role":"assistant","content":"It does not greet.\n\nREJ","delta":true}"#,
    r#"{"type":"message","timestamp":"2026-11-22T20:35:16.467Z","role":"assistant","content":"ECTED","delta":true}"#,
    r#"{"type":"result","timestamp":"2026-11-22T20:35:16.468Z","status":"success","stats":{"total_tokens":3710,"input_tokens":3600,"output_tokens":102,"cached":3000,"input":600,"tool_calls":1}}"#,
];

pub(super) const OPENCODE: &[&str] = &[
    r#"{"type":"step_start","timestamp":1,"sessionID":"s1","part":{"messageID":"msg_3","type":"step-start"}}"#,
    r#"{"type":"text","timestamp":2,"sessionID":"s1","part":{"messageID":"msg_3","type":"text","text":"It looks right.\n\nAPPROVED"}}"#,
    r#"{"type":"tool_use","timestamp":3,"sessionID":"s1","part":{"messageID":"msg_3","type":"tool","tool":"write","state":{"status":"completed","input":{"filePath":"/p/greet.txt"},"output":"APPROVED"}}}"#,
    r#"{"type":"step_finish","timestamp":4,"sessionID":"s1","part":{"messageID":"msg_3","reason":"tool-calls","tokens":{"total":1234,"input":200,"output":34,"reasoning":0,"cache":{"write":0,"read":1000}},"cost":0.000368}}"#,
    r#"{"type":"step_start","timestamp":5,"sessionID":"s1","part":{"messageID":"msg_8","type":"step-start"}}"#,
    r#"{"type":"text","timestamp":6,"sessionID":"s1","part":{"messageID":"msg_8","type":"text","text":"It does not greet.\n\nREJECTED"}}"#,
    r#"{"type":"step_finish","timestamp":7,"sessionID":"s1","part":{"messageID":"msg_8","reason":"stop","tokens":{"total":1244,"input":200,"output":34,"reasoning":10,"cache":{"write":0,"read":1000}},"cost":0.000368}}"#,
];

pub(super) const QWEN: &[&str] = &[
    r#"{"type":"system","subtype":"init","session_id":"s1"}"#,
    r#"{"type":"assistant","message":{"id":"u2","content":[{"type":"text","text":"It looks right.\n\nAPPROVED"}],"usage":{"input_tokens":0,"output_tokens":0}},"parent_tool_use_id":null}"#,
    r#"{"type":"assistant","message":{"id":"u3","content":[{"type":"tool_use","id":"t1","name":"write_file","input":{"file_path":"/p/greet.txt"}}],"usage":{"input_tokens":1200,"output_tokens":34,"cache_read_input_tokens":1000,"total_tokens":1234}},"parent_tool_use_id":null}"#,
    r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":false,"content":"APPROVED"}]}}"#,
    r#"{"type":"assistant","message":{"id":"u5","content":[{"type":"text","text":"It does not greet.\n\nREJECTED"}],"usage":{"input_tokens":1200,"output_tokens":34,"cache_read_input_tokens":1000,"total_tokens":1234}},"parent_tool_use_id":null}"#,
    r#"{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"It does not greet.\n\nREJECTED","usage":{"input_tokens":2400,"output_tokens":68,"cache_read_input_tokens":2000,"total_tokens":2468},"permission_denials":[]}"#,
];

pub(super) const ALL: &[(Protocol, &[&str])] = &[
    (Protocol::Claude, CLAUDE),
    (Protocol::Codex, CODEX),
    (Protocol::Gemini, GEMINI),
    (Protocol::Opencode, OPENCODE),
    (Protocol::Claude, QWEN),
];
