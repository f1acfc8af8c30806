"""The formats of the four APIs: what a request says, and what answers and errors look like."""

import json
import time

from conversation import Answer, Request, Tool

INPUT, CACHED, OUTPUT = 1200, 1000, 34

PAGE = b"<!DOCTYPE html>\n<html><head><title>Please wait</title></head><body><h1>Please wait</h1></body></html>\n"
# Bodies that are no answers.
BODIES = {"empty": b"", "malformed": b"data: {\"type\": \"message_start\", \"mess\n\ndata: <html>\n\n",
          "binary": bytes(range(256)) * 8}
# What a server may say after an answer has begun: the status that it would have had, and the words.
IN_STREAM = {"stream-overloaded": (529, "Overloaded"), "stream-limit": (429, "Rate limit reached for requests")}


def texts(value):
    """All text in a message, whatever its form."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(texts(part) for part in value)
    if isinstance(value, dict):
        return "\n".join(texts(value[key]) for key in ("text", "content", "parts") if key in value)
    return ""


def sse(events, named=True):
    """Server-sent events, each a piece of the body."""
    pieces = []
    for event in events:
        name = f"event: {event['type']}\n" if named else ""
        data = event if isinstance(event, str) else json.dumps(event)
        pieces.append(f"{name}data: {data}\n\n".encode())
    return pieces


class Anthropic:
    """Messages: claude, and others with a provider of this kind."""

    name = "anthropic"

    @staticmethod
    def read(body):
        user, results = [], 0
        for message in body.get("messages", []):
            if message.get("role") != "user":
                continue
            content = message.get("content")
            user.append(texts(content) if isinstance(content, str) else
                        texts([part for part in content if part.get("type") == "text"]))
            if isinstance(content, list):
                results += sum(part.get("type") == "tool_result" for part in content)
        tools = [Tool(tool["name"], tool.get("input_schema") or {}) for tool in body.get("tools", []) if "name" in tool]
        answer = (body.get("output_config") or {}).get("format") or {}
        return Request("\n".join(user), json.dumps(body), tools, results, answer.get("schema"))

    @staticmethod
    def write(answer, body, number):
        usage = {"input_tokens": INPUT - CACHED, "cache_creation_input_tokens": 0, "cache_read_input_tokens": CACHED,
                 "output_tokens": OUTPUT}
        blocks = [{"type": "text", "text": answer.text}]
        if answer.call:
            blocks.append({"type": "tool_use", "id": f"toolu_{number:04}", "name": answer.call.tool.name,
                           "input": answer.call.arguments})
        message = {"id": f"msg_{number:04}", "type": "message", "role": "assistant", "model": body.get("model", "model"),
                   "content": blocks, "stop_reason": "tool_use" if answer.call else "end_turn", "stop_sequence": None,
                   "usage": usage}
        if not body.get("stream"):
            return "application/json", [json.dumps(message).encode()]
        events = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None,
                                                        "usage": {**usage, "output_tokens": 1}}}]
        for index, block in enumerate(blocks):
            if block["type"] == "text":
                start = {"type": "text", "text": ""}
                delta = {"type": "text_delta", "text": block["text"]}
            else:
                start = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            events += [{"type": "content_block_start", "index": index, "content_block": start},
                       {"type": "content_block_delta", "index": index, "delta": delta},
                       {"type": "content_block_stop", "index": index}]
        events += [{"type": "message_delta", "usage": usage,
                    "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}},
                   {"type": "message_stop"}]
        return "text/event-stream", sse(events)

    SPECIAL = {
        "long": (400, "prompt is too long: 210000 tokens > 200000 maximum"),
        "key": (401, "invalid x-api-key"),
        "expired": (401, "OAuth token has expired. Please obtain a new token or refresh your existing token."),
        "disabled": (400, "This organization has been disabled."),
        "region": (403, "Request not allowed"),
        "credit": (400, "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to "
                        "upgrade or purchase credits."),
        "daily": (429, "This request would exceed your organization's rate limit of 50 requests per day."),
    }

    @staticmethod
    def error_event(scenario):
        status, message = IN_STREAM[scenario]
        _, _, error = Anthropic.error(status, scenario, 0)
        error["error"]["message"] = message
        return sse([error])[0]

    @staticmethod
    def error(status, scenario, resets):
        kinds = {400: "invalid_request_error", 401: "authentication_error", 402: "billing_error",
                 403: "permission_error", 404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error",
                 529: "overloaded_error"}
        says = {400: "messages: the request is not valid", 401: "invalid x-api-key",
                402: "Your credit balance is too low to access the Anthropic API.",
                403: "Your API key does not have permission to use the specified resource.",
                404: "model: no-such-model", 529: "Overloaded", 503: "Service unavailable",
                429: "This request would exceed your account's rate limit. Please try again later."}
        headers = {"request-id": "req_0001"}
        if scenario in ("limit", "week"):
            headers |= {"anthropic-ratelimit-unified-status": "rejected",
                        "anthropic-ratelimit-unified-reset": str(resets),
                        "anthropic-ratelimit-unified-representative-claim": "five_hour",
                        "anthropic-ratelimit-unified-5h-status": "rejected",
                        "anthropic-ratelimit-unified-5h-reset": str(resets),
                        "anthropic-ratelimit-unified-5h-utilization": "1.0",
                        "anthropic-ratelimit-unified-overage-status": "rejected",
                        "retry-after": str(max(1, resets - int(time.time())))}
        status, message = Anthropic.SPECIAL.get(scenario, (status, says.get(status, "Internal server error")))
        error = {"type": kinds.get(status, "api_error"), "message": message}
        return status, headers, {"type": "error", "error": error, "request_id": "req_0001"}


class OpenAiErrors:
    """The errors of both OpenAI APIs."""

    SPECIAL = {
        "long": (400, "invalid_request_error", "context_length_exceeded",
                 "Your input exceeds the context window of this model."),
        "key": (401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: mock."),
        "expired": (401, "invalid_request_error", "token_expired",
                    "Your authentication token has expired. Please try signing in again."),
        "disabled": (403, "invalid_request_error", "account_deactivated", "Your account has been deactivated."),
        "region": (403, "request_forbidden", "unsupported_country_region_territory",
                   "Country, region, or territory not supported"),
        "credit": (429, "insufficient_quota", "insufficient_quota",
                   "You exceeded your current quota, please check your plan and billing details."),
        "daily": (429, "requests", "rate_limit_exceeded",
                  "Rate limit reached for mock-model in organization org-1 on requests per day (RPD): Limit 200, Used 200, "
                  "Requested 1."),
    }

    @staticmethod
    def error(status, scenario, resets):
        if scenario in ("limit", "week"):
            left = max(1, resets - int(time.time()))
            return status, {"retry-after": str(left)}, {"error": {
                "type": "usage_limit_reached", "code": "usage_limit_reached", "plan_type": "plus",
                "message": "The usage limit has been reached", "resets_at": resets, "resets_in_seconds": left}}
        says = {
            400: ("invalid_request_error", None, "The request is not valid."),
            401: ("invalid_request_error", "invalid_api_key", "Incorrect API key provided: mock."),
            402: ("insufficient_quota", "insufficient_quota", "Insufficient credit. Add credit to continue."),
            403: ("permission_error", "forbidden", "This key may not use this model."),
            404: ("invalid_request_error", "model_not_found", "The model `mock-model` does not exist."),
            413: ("invalid_request_error", None, "Request too large."),
            422: ("invalid_request_error", None, "The request cannot be processed."),
            429: ("rate_limit_error", "rate_limit_exceeded", "Rate limit reached for requests. Please try again later."),
            503: ("server_error", None, "The server is overloaded. Please try again later."),
        }
        usual = (status, *says.get(status, ("server_error", None, "The server had an error.")))
        status, kind, code, message = OpenAiErrors.SPECIAL.get(scenario, usual)
        return status, {}, {"error": {"type": kind, "code": code, "param": None, "message": message}}


class Responses(OpenAiErrors):
    """OpenAI Responses: codex."""

    name = "responses"

    @staticmethod
    def error_event(scenario):
        status, message = IN_STREAM[scenario]
        code = "rate_limit_exceeded" if status == 429 else "server_is_overloaded"
        response = {"id": "resp_0001", "object": "response", "status": "failed", "output": [],
                    "error": {"code": code, "message": message}}
        return sse([{"type": "response.failed", "response": response, "sequence_number": 99}])[0]

    @staticmethod
    def read(body):
        items = body.get("input", [])
        if isinstance(items, str):
            items = [{"role": "user", "content": items}]
        user = [texts(item.get("content")) for item in items if item.get("role") == "user"]
        results = sum(str(item.get("type", "")).endswith("call_output") for item in items)
        tools = Responses.tools(body.get("tools", []))
        for item in items:
            tools += Responses.tools(item.get("tools", [])) if item.get("type") == "additional_tools" else []
        schema = ((body.get("text") or {}).get("format") or {}).get("schema")
        return Request("\n".join(user), json.dumps(body), tools, results, schema)

    @staticmethod
    def tools(offered, namespace=None):
        tools = []
        for tool in offered:
            if tool.get("type") == "namespace":
                tools += Responses.tools(tool["tools"], tool["name"])
            elif tool.get("name"):
                tools.append(Tool(tool["name"], tool.get("parameters") or {}, tool.get("type") == "custom", namespace))
        return tools

    @staticmethod
    def write(answer, body, number):
        items = [{"type": "message", "id": f"msg_{number:04}", "role": "assistant", "status": "completed",
                  "content": [{"type": "output_text", "text": answer.text, "annotations": []}]}]
        if answer.call:
            call = {"id": f"fc_{number:04}", "call_id": f"call_{number:04}", "name": answer.call.tool.name,
                    "status": "completed"}
            if answer.call.tool.namespace:
                call["namespace"] = answer.call.tool.namespace
            if isinstance(answer.call.arguments, str):
                items.append({"type": "custom_tool_call", **call, "input": answer.call.arguments})
            else:
                items.append({"type": "function_call", **call, "arguments": json.dumps(answer.call.arguments)})
        usage = {"input_tokens": INPUT, "input_tokens_details": {"cached_tokens": CACHED}, "output_tokens": OUTPUT,
                 "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": INPUT + OUTPUT}
        response = {"id": f"resp_{number:04}", "object": "response", "status": "completed", "created_at": 0,
                    "model": body.get("model", "model"), "output": items, "usage": usage}
        if not body.get("stream"):
            return "application/json", [json.dumps(response).encode()]
        begun = {**response, "status": "in_progress", "output": [], "usage": None}
        events = [{"type": "response.created", "response": begun}]
        for index, item in enumerate(items):
            empty = {**item, "status": "in_progress"}
            for part in ("content", "input", "arguments"):
                if part in item:
                    empty[part] = [] if part == "content" else ""
            events.append({"type": "response.output_item.added", "output_index": index, "item": empty})
            if item["type"] == "message":
                place = {"output_index": index, "content_index": 0, "item_id": item["id"]}
                part = item["content"][0]
                events += [{"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
                           {"type": "response.output_text.delta", **place, "delta": part["text"]},
                           {"type": "response.output_text.done", **place, "text": part["text"]},
                           {"type": "response.content_part.done", **place, "part": part}]
            elif item["type"] == "function_call":
                place = {"output_index": index, "item_id": item["id"]}
                events += [{"type": "response.function_call_arguments.delta", **place, "delta": item["arguments"]},
                           {"type": "response.function_call_arguments.done", **place, "arguments": item["arguments"]}]
            events.append({"type": "response.output_item.done", "output_index": index, "item": item})
        events.append({"type": "response.completed", "response": response})
        for place, event in enumerate(events):
            event["sequence_number"] = place
        return "text/event-stream", sse(events)


class Chat(OpenAiErrors):
    """OpenAI Chat Completions: most others."""

    name = "chat"

    @staticmethod
    def error_event(scenario):
        status, message = IN_STREAM[scenario]
        code = "rate_limit_exceeded" if status == 429 else None
        error = {"type": "rate_limit_error" if status == 429 else "server_error", "code": code, "message": message}
        return sse([{"error": error}], named=False)[0]

    @staticmethod
    def read(body):
        messages = body.get("messages", [])
        user = [texts(message.get("content")) for message in messages if message.get("role") == "user"]
        results = sum(message.get("role") == "tool" for message in messages)
        tools = []
        for tool in body.get("tools") or []:
            function = tool.get("function") or tool
            if function.get("name"):
                tools.append(Tool(function["name"], function.get("parameters") or {}))
        format_ = body.get("response_format") or {}
        schema = (format_.get("json_schema") or {}).get("schema")
        return Request("\n".join(user), json.dumps(body), tools, results, schema)

    @staticmethod
    def write(answer, body, number):
        usage = {"prompt_tokens": INPUT, "completion_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT,
                 "prompt_tokens_details": {"cached_tokens": CACHED}}
        reason = "tool_calls" if answer.call else "stop"
        calls = []
        if answer.call:
            arguments = answer.call.arguments
            arguments = arguments if isinstance(arguments, str) else json.dumps(arguments)
            calls = [{"id": f"call_{number:04}", "type": "function",
                      "function": {"name": answer.call.tool.name, "arguments": arguments}}]
        base = {"id": f"chatcmpl-{number:04}", "created": 0, "model": body.get("model", "model")}
        if not body.get("stream"):
            message = {"role": "assistant", "content": answer.text} | ({"tool_calls": calls} if calls else {})
            whole = {**base, "object": "chat.completion", "usage": usage,
                     "choices": [{"index": 0, "message": message, "finish_reason": reason}]}
            return "application/json", [json.dumps(whole).encode()]
        deltas = [{"role": "assistant", "content": ""}, {"content": answer.text}]
        deltas += [{"tool_calls": [{"index": index, **call}]} for index, call in enumerate(calls)]
        base["object"] = "chat.completion.chunk"
        events = [{**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        events.append({**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage})
        return "text/event-stream", sse([*events, "[DONE]"], named=False)


class Gemini:
    """generateContent and streamGenerateContent: gemini."""

    name = "gemini"
    SPECIAL = {
        "long": (400, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).", None),
        "key": (400, "API key not valid. Please pass a valid API key.", "API_KEY_INVALID"),
        "expired": (400, "API key expired. Please renew the API key.", "API_KEY_INVALID"),
        "disabled": (403, "Generative Language API has not been used in project 1 before or it is disabled.",
                     "SERVICE_DISABLED"),
        "region": (400, "User location is not supported for the API use.", None),
        "credit": (429, "Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing.",
                   None),
    }

    @staticmethod
    def error_event(scenario):
        status, message = IN_STREAM[scenario]
        error = {"code": 503 if status == 529 else status, "message": message,
                 "status": "RESOURCE_EXHAUSTED" if status == 429 else "UNAVAILABLE"}
        return sse([{"error": error}], named=False)[0]

    @staticmethod
    def read(body):
        user, results = [], set()
        for content in body.get("contents", []):
            parts = content.get("parts", [])
            # In a session that goes on, gemini reports each of them twice.
            results |= {part["functionResponse"].get("id") for part in parts if "functionResponse" in part}
            if content.get("role", "user") == "user":
                user.append(texts(parts))
        tools = []
        for group in body.get("tools") or []:
            for function in group.get("functionDeclarations", []):
                schema = function.get("parametersJsonSchema") or function.get("parameters") or {}
                tools.append(Tool(function["name"], schema))
        settings = body.get("generationConfig") or {}
        schema = settings.get("responseJsonSchema") or settings.get("responseSchema")
        return Request("\n".join(user), json.dumps(body), tools, len(results), schema)

    @staticmethod
    def write(answer, body, number):
        parts = [{"text": answer.text}]
        if answer.call:
            parts.append({"functionCall": {"name": answer.call.tool.name, "args": answer.call.arguments}})
        usage = {"promptTokenCount": INPUT, "candidatesTokenCount": OUTPUT, "totalTokenCount": INPUT + OUTPUT,
                 "cachedContentTokenCount": CACHED}
        base = {"modelVersion": body.get("model", "model"), "responseId": f"response-{number:04}"}
        chunks = [{**base, "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}}],
                   "usageMetadata": usage} for part in parts]
        chunks[-1]["candidates"][0]["finishReason"] = "STOP"
        if not body.get("stream"):
            whole = {**chunks[-1]}
            whole["candidates"] = [{"index": 0, "finishReason": "STOP", "content": {"role": "model", "parts": parts}}]
            return "application/json", [json.dumps(whole).encode()]
        return "text/event-stream", sse(chunks, named=False)

    @staticmethod
    def error(status, scenario, resets):
        kinds = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 402: "FAILED_PRECONDITION", 403: "PERMISSION_DENIED",
                 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE", 529: "UNAVAILABLE"}
        says = {400: "The request is not valid.", 401: "Request had invalid authentication credentials.",
                402: "Your prepayment credits are depleted.", 403: "The caller does not have permission.",
                404: "models/mock-model is not found for API version v1beta.",
                429: "Resource has been exhausted (e.g. check quota).", 503: "The model is overloaded."}
        google = "type.googleapis.com/google.rpc."
        error = {"code": status, "message": says.get(status, "An internal error has occurred.")}
        if scenario in Gemini.SPECIAL:
            error["code"], error["message"], reason = Gemini.SPECIAL[scenario]
            error |= {"details": [{"@type": google + "ErrorInfo", "reason": reason}]} if reason else {}
        error["status"] = kinds.get(error["code"], "INTERNAL")
        if scenario in ("limit", "week", "daily"):
            left = max(1, resets - int(time.time()))
            error["message"] = "You exceeded your current quota, please check your plan and billing details."
            error["details"] = [
                {"@type": google + "QuotaFailure", "violations": [{
                    "quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
                    "quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "250"}]}]
            if scenario != "daily":
                error["message"] += f"\nPlease retry in {left}s."
                error["details"].append({"@type": google + "RetryInfo", "retryDelay": f"{left}s"})
        return error["code"], {}, {"error": error}


def api_of(path):
    """The API to which a path belongs; `None` if it asks for no answer of a model."""
    path = path.split("?")[0]
    if path.endswith("/messages"):
        return Anthropic
    if path.endswith("/responses"):
        return Responses
    if path.endswith("/completions"):
        return Chat
    if path.endswith((":generateContent", ":streamGenerateContent")):
        return Gemini
    return None


__all__ = ["Anthropic", "Responses", "Chat", "Gemini", "Answer", "api_of"]
