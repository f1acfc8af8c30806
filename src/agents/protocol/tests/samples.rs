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

pub(super) const CURSOR: &[&str] = &[
    r#"{"type":"system","subtype":"init","session_id":"s1"}"#,
    r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"It looks right.\n\nAPPROVED\n"}]},"session_id":"s1"}"#,
    r#"{"type":"tool_call","subtype":"started","call_id":"t1","tool_call":{"writeToolCall":{"args":{"path":"greet.txt"}}},"session_id":"s1"}"#,
    r#"{"type":"tool_call","subtype":"completed","call_id":"t1","tool_call":{"writeToolCall":{"args":{"path":"greet.txt"},"result":{"success":{"linesCreated":1}}}},"session_id":"s1"}"#,
    r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"It does not greet.\n\nREJECTED"}]},"session_id":"s1"}"#,
    r#"{"type":"result","subtype":"success","is_error":false,"result":"It looks right.\n\nAPPROVED\nIt does not greet.\n\nREJECTED","session_id":"s1"}"#,
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

pub(super) const PI: &[&str] = &[
    r#"{"type":"session","version":3,"id":"s1","cwd":"/p"}"#,
    r#"{"type":"agent_start"}"#,
    r#"{"type":"turn_start"}"#,
    r#"{"type":"message_end","message":{"role":"user","content":[{"type":"text","text":"Say APPROVED"}],"timestamp":1}}"#,
    r#"{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"It looks right.\n\nAPPROVED"},{"type":"toolCall","id":"t1","name":"write","arguments":{"path":"greet.txt"}}],"usage":{"input":200,"output":34,"cacheRead":1000,"cacheWrite":0,"cost":{"total":0.25}},"stopReason":"toolUse","timestamp":2}}"#,
    r#"{"type":"tool_execution_start","toolCallId":"t1","toolName":"write","args":{"path":"greet.txt"}}"#,
    r#"{"type":"tool_execution_end","toolCallId":"t1","toolName":"write","result":{"content":[{"type":"text","text":"APPROVED"}]},"isError":false}"#,
    r#"{"type":"message_end","message":{"role":"toolResult","toolCallId":"t1","content":[{"type":"text","text":"APPROVED"}],"timestamp":3}}"#,
    r#"{"type":"turn_start"}"#,
    r#"{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"It does not greet.\n\nREJECTED"}],"usage":{"input":200,"output":34,"cacheRead":1000,"cacheWrite":0,"cost":{"total":0.25}},"stopReason":"stop","timestamp":4}}"#,
    r#"{"type":"agent_end","messages":[{"role":"assistant","content":[{"type":"text","text":"It looks right.\n\nAPPROVED"}],"stopReason":"toolUse"},{"role":"assistant","content":[{"type":"text","text":"It does not greet.\n\nREJECTED"}],"stopReason":"stop"}]}"#,
];

pub(super) const QWEN: &[&str] = &[
    r#"{"type":"system","subtype":"init","session_id":"s1"}"#,
    r#"{"type":"assistant","message":{"id":"u2","content":[{"type":"text","text":"It looks right.\n\nAPPROVED"}],"usage":{"input_tokens":0,"output_tokens":0}},"parent_tool_use_id":null}"#,
    r#"{"type":"assistant","message":{"id":"u3","content":[{"type":"tool_use","id":"t1","name":"write_file","input":{"file_path":"/p/greet.txt"}}],"usage":{"input_tokens":1200,"output_tokens":34,"cache_read_input_tokens":1000}},"parent_tool_use_id":null}"#,
    r#"{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":false,"content":"APPROVED"}]}}"#,
    r#"{"type":"assistant","message":{"id":"u5","content":[{"type":"text","text":"It does not greet.\n\nREJECTED"}],"usage":{"input_tokens":1200,"output_tokens":34,"cache_read_input_tokens":1000}},"parent_tool_use_id":null}"#,
    r#"{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"It does not greet.\n\nREJECTED","usage":{"input_tokens":2400,"output_tokens":68,"cache_read_input_tokens":2000,"total_tokens":2468},"permission_denials":[]}"#,
];

pub(super) const COPILOT: &[&str] = &[
    r#"{"type":"user.message","data":{"content":"Say APPROVED"},"timestamp":"2026-11-22T21:02:59.041Z"}"#,
    r#"{"type":"assistant.message_delta","data":{"deltaContent":"APPROVED"},"timestamp":"2026-11-22T21:02:59.340Z"}"#,
    r#"{"type":"assistant.message","data":{"content":"It looks right.\n\nAPPROVED","toolRequests":[{"toolCallId":"t1","name":"create"}]},"timestamp":"2026-11-22T21:02:59.344Z"}"#,
    r#"{"type":"tool.execution_start","data":{"toolCallId":"t1","toolName":"create","arguments":{"path":"/p/greet.txt"}},"timestamp":"2026-11-22T21:02:59.346Z"}"#,
    r#"{"type":"tool.execution_complete","data":{"toolCallId":"t1","fileEdits":[{"path":"/p/greet.txt","kind":"create"}],"success":true,"result":{"content":"APPROVED"}},"timestamp":"2026-11-22T21:02:59.350Z"}"#,
    r#"{"type":"assistant.message","data":{"content":"It does not greet.\n\nREJECTED","toolRequests":[]},"timestamp":"2026-11-22T21:02:59.414Z"}"#,
    r#"{"type":"result","timestamp":"2026-11-22T21:02:59.436Z","sessionId":"s1","exitCode":0,"usage":{"premiumRequests":1}}"#,
];

pub(super) const CLINE: &[&str] = &[
    r#"{"ts":"1","type":"hook_event","hookEventName":"agent_start","taskId":"s1"}"#,
    r#"{"ts":"2","type":"agent_event","event":{"type":"content_start","contentType":"text","text":"It","accumulated":"It"}}"#,
    r#"{"ts":"3","type":"agent_event","event":{"type":"usage","inputTokens":1200,"outputTokens":34,"cacheReadTokens":1000,"totalInputTokens":1200,"totalOutputTokens":34,"totalCacheReadTokens":1000,"totalCost":0.5}}"#,
    r#"{"ts":"4","type":"agent_event","event":{"type":"content_end","contentType":"text","text":"It looks right.\n\nAPPROVED"}}"#,
    r#"{"ts":"5","type":"agent_event","event":{"type":"content_start","contentType":"tool","toolName":"editor","toolCallId":"t1","input":{"path":"/p/greet.txt"}}}"#,
    r#"{"ts":"6","type":"agent_event","event":{"type":"content_end","contentType":"tool","toolName":"editor","toolCallId":"t1","output":{"result":"APPROVED","success":true}}}"#,
    r#"{"ts":"7","type":"agent_event","event":{"type":"iteration_end","iteration":1}}"#,
    r#"{"ts":"8","type":"agent_event","event":{"type":"content_end","contentType":"text","text":"It does not greet.\n\nREJECTED"}}"#,
    r#"{"ts":"9","type":"agent_event","event":{"type":"iteration_end","iteration":2}}"#,
    r#"{"ts":"9","type":"run_result","finishReason":"completed","usage":{"inputTokens":2400,"outputTokens":68,"cacheReadTokens":2000,"totalCost":1},"aggregateUsage":{"inputTokens":2500,"outputTokens":70,"cacheReadTokens":2000,"totalCost":1.25},"text":"It does not greet.\n\nREJECTED"}"#,
];

pub(super) const DROID: &[&str] = &[
    r#"{"type":"system","subtype":"init","session_id":"s1"}"#,
    r#"{"type":"message","role":"assistant","id":"m2","text":"It looks right.\n\nAPPROVED","timestamp":2}"#,
    r#"{"type":"tool_call","id":"t1","toolName":"Create","parameters":{"file_path":"/p/greet.txt"},"timestamp":3}"#,
    r#"{"type":"message","role":"user","id":"m3","text":"Say APPROVED","timestamp":1}"#,
    r#"{"type":"tool_result","id":"t1","isError":false,"value":"APPROVED","timestamp":4}"#,
    r#"{"type":"message","role":"assistant","id":"m5","text":"It does not greet.\n\nREJECTED","timestamp":5}"#,
    r#"{"type":"completion","finalText":"It does not greet.\n\nREJECTED","numTurns":2,"timestamp":6,"usage":{"input_tokens":400,"output_tokens":68,"cache_read_input_tokens":2000,"cache_creation_input_tokens":5}}"#,
];

pub(super) const VIBE: &[&str] = &[
    r#"{"sessionId":"s1","createdAt":1,"type":"message","role":"user","content":[{"type":"text","text":"Say APPROVED"}]}"#,
    r#"{"sessionId":"s1","createdAt":2,"type":"message","role":"assistant","content":[{"type":"text","text":"It looks right.\n\nAPPROVED"}]}"#,
    r#"{"sessionId":"s1","createdAt":3,"type":"effect","title":"write","detail":{"toolName":"write_file","kind":"file_write","input":{"filePath":"/p/greet.txt"}},"state":{"status":"completed","outputText":"APPROVED"}}"#,
    r#"{"sessionId":"s1","createdAt":4,"type":"message","role":"assistant","content":[{"type":"text","text":"It does not greet.\n\nREJECTED"}]}"#,
];

pub(super) const ALL: &[(Protocol, &[&str])] = &[
    (Protocol::Claude, CLAUDE),
    (Protocol::Cline, CLINE),
    (Protocol::Codex, CODEX),
    (Protocol::Copilot, COPILOT),
    (Protocol::Cursor, CURSOR),
    (Protocol::Droid, DROID),
    (Protocol::Gemini, GEMINI),
    (Protocol::Opencode, OPENCODE),
    (Protocol::Pi, PI),
    (Protocol::Qwen, QWEN),
    (Protocol::Vibe, VIBE),
];
