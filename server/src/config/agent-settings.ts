import { PROVIDER_KINDS } from "./model-catalogue.ts";
import { setting } from "./setting-row.ts";

const TEN_MINUTES_MS = 600_000;
const KIND = { kind: "choice", choices: PROVIDER_KINDS } as const;
const KEY = { kind: "key", minLength: 1, default: null } as const;
const BASE_URL = setting({ kind: "http-url", default: null }, "Address of the provider. Defaults to that of its kind.");
const MODELS = setting(
  { kind: "names", default: [] },
  "Models that agents may use, instead of the built-in list. The first one is the default.",
);
const DEFAULT_MODEL = setting(KEY, "Model of agents that name none.");

export const AGENT_SETTINGS = {
  AGENT_RUN_CONCURRENCY: setting(
    { kind: "integer", min: 1, max: 10_000, default: 256 },
    "Maximum number of runs that one node executes at a time; further runs wait in the queue.",
  ),
  AGENT_PROVIDER_SHARE_PERCENT: setting(
    { kind: "integer", min: 1, max: 100, default: 40 },
    "Maximum share of `AGENT_RUN_CONCURRENCY`, in percent, for runs with agents of one provider while several are configured. Further runs wait in the queue, so that a provider that hangs does not block the others.",
  ),
  AGENT_USER_SHARE_PERCENT: setting(
    { kind: "integer", min: 1, max: 100, default: 50 },
    "Maximum share of `AGENT_RUN_CONCURRENCY`, in percent, for runs that one user has started. Further runs wait in the queue, so that a user with many long runs does not block the others.",
  ),
  AGENT_RUN_LEASE_SECONDS: setting(
    { kind: "integer", min: 2, max: 600, default: 10 },
    "Time without a renewal after which a node loses a run and another node continues it. A node whose session of the database has ended loses it after 2.5 seconds without a renewal.",
  ),
  AGENT_RUN_MAX_SECONDS: setting(
    { kind: "integer", min: 1, max: 604_800, default: 600 },
    "Maximum of the swarm setting `timeout_ms`, in seconds: the time that a run may work. The time that it waits for a person, a client, a time or a signal does not count.",
  ),
  AGENT_RUN_MAX_TOOL_STEPS: setting(
    { kind: "integer", min: 1, max: 1_000, default: 25 },
    "Maximum of the swarm setting `max_tool_steps`: how often the model of one turn may call tools.",
  ),
  AGENT_RUN_MAX_CALLS: setting(
    { kind: "integer", min: 1, max: 10_000, default: 50 },
    "Maximum of the swarm setting `max_tool_calls`, and its default up to 50: the tool calls of one run.",
  ),
  AGENT_WAITING_RUNS_PER_USER: setting(
    { kind: "integer", min: 0, max: 1_000_000, default: 1_000 },
    "Maximum number of runs of one user that wait at a time; in a further run, the tools `sleep` and `wait_for_event`, sub-tasks, and calls that would wait without end for a person or the client fail with `WAIT_LIMIT_REACHED`.",
  ),
  AGENT_APPROVAL_TTL_SECONDS: setting(
    { kind: "integer", min: 0, max: 604_800, default: 900 },
    "Time that a tool call waits for approval, or for the answer to a question; then it counts as denied. 0: without end.",
  ),
  AGENT_CLIENT_TOOL_TTL_SECONDS: setting(
    { kind: "integer", min: 0, max: 604_800, default: 900 },
    "Time that a call of a tool of kind `client` waits for its result; then the model gets the error `CLIENT_TOOL_EXPIRED`. 0: without end.",
  ),
  AGENT_TOOL_CONCURRENCY: setting(
    { kind: "integer", min: 1, max: 100, default: 8 },
    "Maximum number of tool calls that one turn of an agent executes at a time; further calls of the turn wait.",
  ),
  AGENT_QUEUE_LIMIT: setting(
    { kind: "integer", min: 1, max: 1000, default: 10 },
    "Maximum number of runs that wait in one swarm; a further one gets 409.",
  ),
  AGENT_STREAMS_PER_USER: setting(
    { kind: "integer", min: 1, max: 100_000, default: 1000 },
    "Maximum number of runs that one user follows on one node at a time, by streams and by calls that wait for a response, and of calls that wait for events of a feed; a further one gets 429.",
  ),
  RUN_EVENTS_RETENTION_DAYS: setting(
    { kind: "integer", min: 0, max: 365, default: 1 },
    "Days after which the events of an ended run, which streams replay, are removed, a large table up to a quarter later; 0 keeps them.",
  ),
  AGENT_VERSIONS_KEPT: setting(
    { kind: "integer", min: 0, max: 10_000, default: 100 },
    "Number of latest [versions](../guides/agents.md#versions) that an agent keeps; older ones that no run used are removed with a change. 0 keeps all.",
  ),
  AGENT_PUBLISHERS: setting(
    { kind: "choice", choices: ["service", "users"], default: "service" },
    "Who may grant an agent to everyone or to a claim: the service role and operators, or also the users who own agents.",
  ),
  AGENT_SUMMARY_MODEL: setting(
    { kind: "framework-model", default: null },
    "Model that writes [the summaries of long conversations](../guides/runs.md#summaries), instead of the model of each agent. `off`: nothing is summarised, and the oldest messages are left out.",
  ),
  MODEL_CALLS_RETENTION_DAYS: setting(
    { kind: "integer", min: 0, max: 3650, default: 30 },
    "Days after which [the model calls of runs](../guides/tracing.md#traces-in-the-database) are removed; 0 keeps them as long as their run.",
  ),
  AGENT_QUEUE_TIMEOUT_MS: setting(
    { kind: "integer", min: 0, max: 600_000, default: 30_000 },
    "Time that a call waits for a queued run, in milliseconds, before it gets 202.",
  ),
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: setting(
    { kind: "boolean", default: false },
    "Whether [traces](../guides/tracing.md) contain prompts, answers, and the inputs and outputs of tools, up to 8,192 characters of each.",
  ),
};

export const PROVIDER_SETTINGS = {
  PROVIDER_A_KIND: setting(
    { ...KIND, default: "openai" },
    "Protocol of `provider_a`. `simulated` answers without a model, and says so.",
  ),
  PROVIDER_A_BASE_URL: BASE_URL,
  PROVIDER_A_API_KEY: setting({ ...KEY, secret: true }, "Key of `provider_a`."),
  PROVIDER_A_MODELS: MODELS,
  PROVIDER_A_DEFAULT_MODEL: DEFAULT_MODEL,
  PROVIDER_B_KIND: setting({ ...KIND, default: "anthropic" }, "Protocol of `provider_b`."),
  PROVIDER_B_BASE_URL: BASE_URL,
  PROVIDER_B_API_KEY: setting({ ...KEY, secret: true }, "Key of `provider_b`."),
  PROVIDER_B_MODELS: MODELS,
  PROVIDER_B_DEFAULT_MODEL: DEFAULT_MODEL,
  PROVIDER_C_KIND: setting({ ...KIND, default: "google" }, "Protocol of `provider_c`."),
  PROVIDER_C_BASE_URL: BASE_URL,
  PROVIDER_C_API_KEY: setting({ ...KEY, secret: true }, "Key of `provider_c`."),
  PROVIDER_C_MODELS: MODELS,
  PROVIDER_C_DEFAULT_MODEL: DEFAULT_MODEL,
  PROVIDERS_FILE: setting(
    { kind: "path", default: null },
    "JSON file that describes providers in full: models with their context windows and prices, fallbacks. It takes precedence over the variables, and is read again when it changes. See `docs/guides/models.md`.",
  ),
  PROVIDER_DETECTION: setting(
    { kind: "boolean", default: true },
    "Whether a service without a configured provider uses the keys in `OPENAI_API_KEY`, `ANTHROPIC_API_KEY` and `GEMINI_API_KEY`, and an Ollama on this machine, while `HOST` is loopback and `NODE_ENV` is not `production`. Such a service also tests all its keys when it starts. See `docs/guides/models.md`.",
  ),
  ALLOW_SIMULATED: setting(
    { kind: "choice", choices: ["0", "1", "false", "true"], default: "0" },
    "Permits `simulated` providers when `NODE_ENV` is `production`.",
  ),
  PROVIDER_FIRST_BYTE_TIMEOUT_MS: setting(
    { kind: "integer", min: 10, max: TEN_MINUTES_MS, default: 30_000 },
    "Time that a provider has to begin a response, in milliseconds.",
  ),
  PROVIDER_IDLE_TIMEOUT_MS: setting(
    { kind: "integer", min: 10, max: TEN_MINUTES_MS, default: 30_000 },
    "Maximum time without data within a response, in milliseconds.",
  ),
  PROVIDER_TOTAL_TIMEOUT_MS: setting(
    { kind: "integer", min: 10, max: TEN_MINUTES_MS, default: 120_000 },
    "Time that a provider has for a complete response, in milliseconds.",
  ),
  SIMULATED_FIRST_TOKEN_DELAY_MS: setting(
    { kind: "integer", min: 0, max: 60_000, default: 0 },
    "Delay before the first token of a simulated provider, in milliseconds.",
  ),
  SIMULATED_TOKENS_PER_SECOND: setting(
    { kind: "integer", min: 0, max: 100_000, default: 0 },
    "Token rate of a simulated provider; 0 means as fast as possible.",
  ),
};
