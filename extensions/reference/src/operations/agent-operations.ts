import { EVENT_STREAM } from "../schemas/stream-schemas.ts";
import { ID } from "./example-values.ts";
import { type AnswerText, inHeader, type OperationTexts, refer } from "./operation-text.ts";

const RUN_EXAMPLE = {
  run_id: ID.run,
  swarm_id: ID.swarm,
  status: "completed",
  stop_reason: "all_replied",
  message: null,
  responses: [],
  errors: [],
  usage: {
    input_tokens: 12,
    cached_input_tokens: 0,
    output_tokens: 30,
    total_tokens: 42,
    cost_usd: 0.0001,
    estimated: false,
  },
  pending_approvals: null,
  pending_client_calls: null,
  pending_waits: null,
  created_at: "2026-11-15T12:00:00.000000+00:00",
  completed_at: "2026-11-15T12:00:00.900000+00:00",
};

const RUN_HEADERS = {
  "X-Run-Id": "the run",
  "Idempotent-Replayed": "`true` if an earlier call with the same key started the run",
};

const GRANT_ANSWERS = { accept: refer("AcceptedGrant"), decline: refer("DeclinedGrant") };

const TOOLS_ANSWERS = {
  list: refer("RemoteTools"),
  import: refer("ImportedTools"),
  authorize: refer("StartedAuthorization"),
  finish_authorization: refer("FinishedAuthorization"),
  list_authorizations: refer("ListedAuthorizations"),
  revoke_authorization: refer("RevokedAuthorization"),
  test: refer("TestedTool"),
};

/** Statuses of table operations, which are those of the batch that they fail. */
const BATCH_FAILURES = [300, 400, 403, 404, 405, 406, 409, 413, 416, 503, 504];
const BATCH_FAILURE: AnswerText = {
  description: "The error of the operation that failed. Nothing was changed.",
  schema: { anyOf: [refer("BatchError"), refer("ValidationError")] },
};

export const AGENT_OPERATIONS: OperationTexts = {
  "POST /functions/v1/agent-grants": {
    id: "agentGrants",
    summary: "Accept or decline the offer of an agent",
    description:
      "A grant that names you is an offer until you accept it; `agent_offers` lists those. An accepted grant can be declined later. An API key cannot call this function.",
    body: {
      forms: ["accept", "decline"],
      fields: { grant_id: "a row of `agent_offers`, or a grant that you accepted" },
      examples: { accept: { action: "accept", grant_id: ID.grant } },
    },
    answers: {
      200: {
        description: "The answer is stored",
        schema: { anyOf: Object.values(GRANT_ANSWERS) },
        example: { accepted: true, grant_id: ID.grant, agent_id: ID.agent },
      },
    },
    answersByAction: GRANT_ANSWERS,
    errors: ["VALIDATION_ERROR", "FORBIDDEN", "GRANT_NOT_FOUND"],
    javascript: `const { data } = await supabase.functions.invoke("agent-grants", {
  body: { action: "accept", grant_id },
});`,
  },
  "POST /functions/v1/agent-respond": {
    id: "agentRespond",
    summary: "Ask an agent or the agents of a swarm, or control a run",
    description:
      'Stores your message and lets the agents answer it. The caller must be a member of the swarm with a role other than `viewer`. The response waits for the last answer, or is a stream with `Accept: text/event-stream` or `stream: true`. Closing the connection does not end the run unless you request that. With `agent_id` instead of `swarm_id` the agent answers in the latest private conversation of the caller and the agent, which the first call creates; `conversation: "new"` begins another one. The agent is your own, or one of `published_agents`. With `agent_id` and `messages` the call has its own conversation, which is not stored unless `store` is true. With `action` the call controls an existing run: `cancel`, `approve`, `submit_tool_results`, `signal`, `attach`.',
    parameters: [
      inHeader(
        "Idempotency-Key",
        "up to 255 characters: for a day, the same key with the same body refers to the same run, or to the same signal",
      ),
      inHeader("Last-Event-ID", "the last event that you have received; the stream continues after it"),
    ],
    body: {
      forms: ["Ask", "Ask one agent", "Converse", "Cancel", "Approve", "Submit tool results", "Signal", "Attach"],
      bounds: { message: { minLength: 1, maxLength: 32_000 }, client_message_id: { minLength: 1, maxLength: 255 } },
      fields: {
        agent_id:
          "your agent, which answers in the private swarm of you and the agent, or in the conversation of `messages`",
        messages:
          "the whole conversation; the last message is the user's, and system messages follow the agent's system prompt",
        conversation:
          "`new` with `message`: begins another private conversation with the agent. `continue` with `messages`: continues the private conversation that has exactly the messages before the last one; a single message begins one, and other messages are a conversation of their own",
        store: "true: the conversation is stored as one of your swarms. Otherwise it is deleted after the run",
        agent_version: "a number of `agent_versions`: the agent answers as it was in that version",
        framework: "another provider for this call; the checks of `agents.framework` and `agents.model` apply",
        model:
          "another model for this call; if absent, the default of `framework` if that is given, otherwise the agent's",
        system_prompt: "takes the place of the agent's system prompt in this call; empty: none",
        settings: "settings for this call, which take precedence over the agent's",
        agent_ids: "only these agents answer; otherwise those that are mentioned, or that the strategy selects",
        stream: "the same as `Accept: text/event-stream`",
        background: "respond with 202 at once",
        include_reasoning: "include `reasoning.delta` in the stream",
        on_conflict: "what happens when the swarm is busy; default: the setting of the swarm",
        on_disconnect: "`cancel` ends the run when this connection closes",
        max_turns: "maximum number of turns, within the limit of the swarm",
        reply_to_id: "stored with your message",
        client_message_id: "stored with your message; the same value again refers to the same run",
        regenerate:
          "answers the message again that has this `client_message_id` or id: its answers, and your later messages with the same `metadata` and their answers, are deleted, and runs of these that have not ended are cancelled. Another text takes the place of the message's",
        metadata: "stored with your message; at most 32,000 bytes",
        user_id: "for the service role: the user for whom it acts, who also pays",
        last_event_id: "only later events are sent",
        decisions: "all of them are accepted, or none; `content` is the answer to a `question`",
        tool_choice: "`required`, or the `name` of one of `client_tools` that the model must call first, alone",
        client_tools: "tools for this run alone, which you execute: a call of such a tool waits for its result",
        name: "of the event for which a call of the run waits, or will wait",
        data: "what the model reads; at most 32,768 bytes of JSON",
        results: "of the tool calls that wait for you, each with `output` or `error`; all are accepted, or none",
      },
      examples: {
        ask: { swarm_id: ID.swarm, message: "Is the bridge open?" },
        "ask one agent": { agent_id: ID.agent, message: "Is the bridge open?" },
        converse: {
          agent_id: ID.agent,
          messages: [{ role: "user", content: "Is the bridge open?" }],
          settings: { temperature: 0 },
        },
        cancel: { action: "cancel", run_id: ID.run },
        approve: {
          action: "approve",
          run_id: ID.run,
          decisions: [{ tool_execution_id: ID.toolExecution, approved: true }],
        },
        "submit tool results": {
          action: "submit_tool_results",
          run_id: ID.run,
          results: [{ tool_execution_id: ID.toolExecution, output: { latitude: 52.5, longitude: 13.4 } }],
        },
        signal: { action: "signal", run_id: ID.run, name: "report.ready", data: { pages: 12 } },
        attach: { action: "attach", run_id: ID.run, last_event_id: 7 },
      },
    },
    answers: {
      200: {
        description:
          "The run has ended and at least one agent answered, or it was cancelled; or the stream of its events",
        schema: refer("Run"),
        example: RUN_EXAMPLE,
        stream: EVENT_STREAM,
        headers: RUN_HEADERS,
      },
      202: {
        description: "The run has not ended: `background` was set, it waits, or it is still queued",
        schema: refer("Run"),
        headers: RUN_HEADERS,
      },
    },
    errors: [
      "VALIDATION_ERROR",
      "NO_AGENTS",
      "CONTENT_BLOCKED",
      "GUARDRAIL_BLOCKED",
      "INVALID_MODEL",
      "FORBIDDEN",
      "PERMISSION_DENIED",
      "BUDGET_EXCEEDED",
      "SWARM_NOT_FOUND",
      "RUN_NOT_FOUND",
      "AGENT_NOT_FOUND",
      "SWARM_BUSY",
      "SWARM_NOT_ACTIVE",
      "APPROVAL_DECIDED",
      "APPROVAL_EXPIRED",
      "TOOL_RESULT_SUBMITTED",
      "CLIENT_TOOL_EXPIRED",
      "RUN_ENDED",
      "SIGNAL_LIMIT_REACHED",
      "IDEMPOTENCY_KEY_REUSED",
      "GUARDRAIL_FAILED",
      "PROVIDER_ERROR",
      "RESPONSE_SCHEMA_MISMATCH",
      "PROVIDER_NOT_CONFIGURED",
      "PROVIDER_TIMEOUT",
    ],
    alsoCounts: ["ai", "tool"],
    javascript: `const { data: run, error } = await supabase.functions.invoke("agent-respond", {
  body: { swarm_id, message: "Is the bridge open?" },
});`,
  },
  "POST /functions/v1/tools": {
    id: "tools",
    summary: "List, import and authorize tools of an MCP server, or test a tool",
    description:
      "`list` returns the tools of an MCP server, `import` creates tools from them, `test` calls one of your tools once. `authorize` starts an OAuth authorization at an MCP server, and `finish_authorization` completes it with the parameters that the browser received. Secrets and tokens are stored encrypted and never shown.",
    body: {
      forms: [
        "List",
        "Import",
        "Authorize",
        "Finish authorization",
        "List authorizations",
        "Revoke authorization",
        "Test",
      ],
      fields: {
        url: "the address of the MCP server",
        auth: "how the secret is sent; if absent, the only secret is a bearer token",
        secrets: "name to value, at most 20",
        tool_id: "with `list`: use the server of this tool",
        names: "the names of the tools on the server",
        visibility: "only the service role can use `public`",
        user_id: "for the service role: the owner of the tools or of the authorizations",
        scope: "the OAuth scope to request; if absent, the scope that the server names",
        client_id: "a client that you have registered; if absent, the service registers itself",
        account: "`asker`: an account of the caller, which tools use in runs of the caller; if absent, `owner`",
        tool_execution_id:
          "with `authorize`, in place of `url`: a call that waits until the caller connects an account",
        redirect_to: "the address to which the browser returns; below `SITE_URL`, or in `REDIRECT_ALLOW_LIST`",
        state: "from the fragment of the address to which the browser returned, like `code` and `iss`",
        input: "the arguments, as a model would send them",
      },
      examples: {
        list: { action: "list", url: "https://mcp.example.com/mcp", secrets: { token: "sk-123" } },
        import: { action: "import", url: "https://mcp.example.com/mcp", names: ["search"] },
        authorize: { action: "authorize", url: "https://mcp.example.com/mcp", redirect_to: "https://app.example.com/" },
        "finish authorization": {
          action: "finish_authorization",
          state: "Zm9v",
          code: "abc123",
          iss: "https://auth.example.com",
        },
        "list authorizations": { action: "list_authorizations" },
        "revoke authorization": { action: "revoke_authorization", url: "https://mcp.example.com/mcp" },
        test: { action: "test", tool_id: ID.tool, input: { query: "bridges" } },
      },
    },
    answers: {
      200: {
        description:
          "The tools of the server, the result of an import that created none, the result of the test, or the authorization",
        schema: { anyOf: Object.values(TOOLS_ANSWERS) },
        example: {
          tool_id: ID.tool,
          success: true,
          status: "succeeded",
          attempts: 1,
          duration_ms: 120,
          output: "42",
          output_chars: 2,
          truncated: false,
        },
      },
      201: { description: "Tools were created", schema: refer("ImportedTools") },
    },
    answersByAction: TOOLS_ANSWERS,
    errors: ["VALIDATION_ERROR", "INVALID_URL", "FORBIDDEN", "TOOL_NOT_FOUND", "TOOL_ERROR"],
    javascript: `const { data } = await supabase.functions.invoke("tools", {
  body: { action: "test", tool_id, input: { query: "bridges" } },
});`,
  },
  "POST /functions/v1/batch": {
    id: "batch",
    summary: "Execute several table operations in one transaction",
    description:
      "All operations take effect, or none. Each is a request to a table, without `/rest/v1`. The first failure is the response to the whole call, with the status and error of that request.",
    body: {
      fields: {
        path: "the part after `/rest/v1`, including the query",
        headers: "`Prefer`, `Accept`, `Accept-Profile`, `Content-Profile`, `Range`",
        body: "any JSON",
      },
      examples: {
        "two inserts": {
          operations: [
            { method: "POST", path: "/agents", headers: { Prefer: "return=representation" }, body: { name: "Ann" } },
            { method: "POST", path: "/swarms", body: { name: "Newsroom" } },
          ],
        },
      },
    },
    answers: {
      200: {
        description: "The responses of the operations, in order",
        schema: refer("BatchResults"),
        example: { results: [{ status: 201, headers: {}, body: null }] },
      },
      ...Object.fromEntries(BATCH_FAILURES.map((status) => [status, BATCH_FAILURE])),
    },
    errors: ["UNSUPPORTED_MEDIA_TYPE"],
    javascript: `const { data } = await supabase.functions.invoke("batch", {
  body: { operations: [{ method: "POST", path: "/agents", body: { name: "Ann" } }] },
});`,
  },
};
