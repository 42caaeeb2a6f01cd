import {
  API_VERSION,
  API_VERSIONS,
  FRAMEWORKS,
  isAppEventType,
  type Json,
  type JsonObject,
  SWARM_STATUSES,
  SWARM_STRATEGIES,
  TOOL_VISIBILITIES,
  WEBHOOK_DEFAULTS,
} from "@swarmbase/sdk";
import {
  agentSettings,
  boolean,
  type Check,
  choice,
  events,
  FINE,
  fault,
  integer,
  jsonObject,
  number,
  pattern,
  text,
  textList,
  texts,
  time,
  trimText,
} from "./checks.ts";
import type { Kind } from "./kinds.ts";
import { agentKey, assignments, grants, members, rowId, secrets, swarmAgents, swarmKey } from "./link-checks.ts";

interface FieldRow {
  readonly check: Check;
  /** What an absent field means; `undefined` for a required one, and for one that stays as it is on the service. */
  readonly default?: Json;
  readonly isRequired?: true;
  readonly isNullable?: true;
  /** The service rejects a change of it. */
  readonly isFixed?: true;
  /** Only the service role writes it; a user's plan leaves it as it is. */
  readonly isOfService?: true;
  /** Not a column: rows of other tables, or values that the service never shows. */
  readonly isLink?: true;
  /** Whether the service fills it in for a file that leaves it out, so that it has no default. */
  readonly isDerived?: (given: JsonObject) => boolean;
  /** As the service stores it. */
  readonly normalise?: (value: Json) => Json;
  /** Whether the service stores this value in another way. */
  readonly isStoredAs?: (value: Json, stored: Json) => boolean;
}

const name = (field: "agents.name" | "swarms.name" | "webhooks.name" | "event_feeds.name" | null): FieldRow => ({
  check: (value) => text(field)(trimText(value)),
  isRequired: true,
  normalise: trimText,
});
const SUBSCRIBED: FieldRow = {
  check: events,
  isRequired: true,
  normalise: (value) => (Array.isArray(value) ? [...new Set(value)] : value),
};
/** The service checks its conditions, and stores null for an empty one. */
const filter = (field: "webhooks.filter" | "event_feeds.filter"): FieldRow => ({
  check: jsonObject(field),
  default: null,
  isNullable: true,
  normalise: (value) => (value !== null && Object.keys(value).length === 0 ? null : value),
});
const RECEIVES_APP_EVENTS: FieldRow = { check: boolean, default: false, isOfService: true };
const nullableText = (field: Parameters<typeof text>[0], more?: Check): FieldRow => ({
  check: text(field, more),
  default: null,
  isNullable: true,
});
const targetKey = (check: Check): FieldRow => ({ check, default: null, isNullable: true, isLink: true });
const targetId: FieldRow = { check: rowId, default: null, isNullable: true, isFixed: true };
const nullableNumber: FieldRow = { check: number, default: null, isNullable: true };
const VENDOR = /^[a-z]+\//;
/** `openai/gpt-5.4-mini`: the service resolves it to a framework and a model. */
const namesVendor = (model: Json | undefined): model is string => typeof model === "string" && VENDOR.test(model);
const httpUrl = pattern(/^https?:\/\/[^/?#\s]/i, "must be an http or https URL");
const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
const TOOL_KIND = /^(?!builtin$)[a-z][a-z0-9-]{0,39}(?:[.][a-z][a-z0-9_]{0,39})?$/;

/** What an absent field means on this service. */
export interface ServiceDefaults {
  /** Of agents: the first framework that can answer. */
  readonly framework: string;
}

/** The fields of each kind, in the order in which `pull` writes them. */
export const FIELDS: Readonly<Record<Kind, Readonly<Record<string, FieldRow>>>> = {
  event_types: {
    name: {
      check: (value) =>
        isAppEventType(value)
          ? FINE
          : fault("must be app. and words of lower-case letters, digits and _, joined by dots"),
      isRequired: true,
      isFixed: true,
    },
    description: nullableText("event_types.description"),
    schema: { check: jsonObject("event_types.schema"), default: null, isNullable: true },
    example: { check: jsonObject("event_types.example"), default: null, isNullable: true },
    users_may_emit: { check: boolean, default: false },
    listed: { check: boolean, default: true },
  },
  tools: {
    name: {
      check: pattern(TOOL_NAME, "must begin with a letter or _ and go on with letters, digits, _ and -"),
      isRequired: true,
    },
    description: { check: text("tools.description"), isRequired: true },
    category: nullableText("tools.category"),
    icon: nullableText("tools.icon"),
    kind: {
      check: pattern(TOOL_KIND, "must be http, mcp, client, a2a, rpc, function, swarm, schedule or <extension>.<kind>"),
      default: "http",
      isFixed: true,
    },
    config: { check: jsonObject("tools.config"), default: {} },
    secrets: { check: secrets, default: {}, isLink: true },
    input_schema: {
      check: jsonObject("tools.input_schema"),
      default: { type: "object", properties: {} },
      isDerived: ({ kind }) => kind === "rpc" || kind === "swarm" || kind === "schedule",
    },
    visibility: { check: choice(TOOL_VISIBILITIES), default: "private" },
    requires_approval: { check: boolean, default: false },
    timeout_ms: { check: integer("tools.timeout_ms"), default: 30_000 },
    max_output_chars: { check: integer("tools.max_output_chars"), default: 16_000 },
    max_retries: { check: integer("tools.max_retries"), default: 1 },
    idempotent: { check: boolean, default: false },
    enabled: { check: boolean, default: true },
  },
  agents: {
    name: name("agents.name"),
    role: nullableText("agents.role"),
    avatar: nullableText("agents.avatar", httpUrl),
    description: nullableText("agents.description"),
    starter_questions: {
      check: textList("agents.starter_questions"),
      default: [],
      normalise: (value) => (Array.isArray(value) ? value.map(trimText) : value),
    },
    // The default is that of the service, which `initialValueOf` takes.
    framework: { check: choice(FRAMEWORKS), default: FRAMEWORKS[0], isDerived: ({ model }) => namesVendor(model) },
    model: {
      ...nullableText("agents.model"),
      isStoredAs: (value, stored) => namesVendor(value) && value.replace(VENDOR, "") === stored,
    },
    system_prompt: nullableText("agents.system_prompt"),
    settings: { check: jsonObject("agents.settings", agentSettings), default: {} },
    acts_for_askers: { check: boolean, default: false, isOfService: true },
    tools: { check: assignments, default: {}, isLink: true },
    grants: { check: grants, isLink: true },
  },
  swarms: {
    name: name("swarms.name"),
    description: nullableText("swarms.description"),
    avatar: nullableText("swarms.avatar", httpUrl),
    // People pause and archive swarms while they run; a file that does not mention it leaves that alone.
    status: { check: choice(SWARM_STATUSES) },
    strategy: { check: choice(SWARM_STRATEGIES), default: SWARM_STRATEGIES[0] },
    settings: { check: jsonObject("swarms.settings"), default: {} },
    agents: { check: swarmAgents, default: [], isLink: true },
    coordinator: { check: agentKey, default: null, isNullable: true, isLink: true },
    members: { check: members, isLink: true },
  },
  webhooks: {
    name: name("webhooks.name"),
    url: {
      check: text("webhooks.url", pattern(/^https:\/\//i, "must be an https URL")),
      isRequired: true,
    },
    events: SUBSCRIBED,
    headers: { check: jsonObject("webhooks.headers"), default: {} },
    filter: filter("webhooks.filter"),
    receives_app_events: RECEIVES_APP_EVENTS,
    retry_count: { check: integer("webhooks.retry_count"), default: WEBHOOK_DEFAULTS.retryCount },
    timeout_ms: { check: integer("webhooks.timeout_ms"), default: WEBHOOK_DEFAULTS.timeoutMs },
    // The service disables endpoints that are gone; a file that does not mention it does not enable them again.
    is_active: { check: boolean },
    api_version: { check: choice(API_VERSIONS), default: API_VERSION, isFixed: true },
  },
  event_feeds: {
    name: name("event_feeds.name"),
    events: SUBSCRIBED,
    filter: filter("event_feeds.filter"),
    receives_app_events: RECEIVES_APP_EVENTS,
    api_version: { check: choice(API_VERSIONS), default: API_VERSION, isFixed: true },
  },
  schedules: {
    name: name(null),
    agent: targetKey(agentKey),
    agent_id: targetId,
    swarm: targetKey(swarmKey),
    swarm_id: targetId,
    message: { check: text(null), isRequired: true },
    conversation: { check: choice(["own", "new"]), default: "own" },
    cron: { check: text(null), default: null, isNullable: true },
    time_zone: { check: text(null), default: "UTC" },
    run_at: {
      check: time,
      default: null,
      isNullable: true,
      isStoredAs: (value, stored) =>
        typeof value === "string" && typeof stored === "string" && Date.parse(value) === Date.parse(stored),
    },
    // The service switches schedules off; a file that does not mention it does not switch them on again.
    enabled: { check: boolean },
    max_tokens: nullableNumber,
    max_cost_usd: nullableNumber,
    when_running: { check: choice(["skip", "queue"]), default: "skip" },
    when_missed: { check: choice(["skip", "last"]), default: "last" },
    jitter_seconds: { check: number, default: 0 },
    pause_after_failures: { check: number, default: 5 },
  },
  // Secrets are not in files: the function `triggers` stores them.
  triggers: {
    name: name(null),
    agent: targetKey(agentKey),
    agent_id: targetId,
    swarm: targetKey(swarmKey),
    swarm_id: targetId,
    message: { check: text(null), isRequired: true },
    conversation: { check: choice(["own", "new"]), default: "own" },
    verification: {
      check: choice(["stripe", "github", "slack", "standard_webhooks", "hmac", "bearer"]),
      isRequired: true,
    },
    signature_header: { check: text(null), default: "X-Signature" },
    signature_algorithm: { check: choice(["sha256", "sha512", "sha1"]), default: "sha256" },
    signature_encoding: { check: choice(["hex", "base64"]), default: "hex" },
    signature_prefix: { check: text(null), default: "" },
    event_id_path: { check: text(null), default: null, isNullable: true },
    filter: filter("webhooks.filter"),
    replay_window_seconds: { check: number, default: 300 },
    // As with schedules.
    enabled: { check: boolean },
    calls_per_minute: { check: number, default: 60 },
    max_payload_bytes: { check: number, default: 262_144 },
    retention_days: { check: number, default: 30 },
    max_tokens: nullableNumber,
    max_cost_usd: nullableNumber,
    allowed_tools: { check: texts, default: [] },
    pause_after_failures: { check: number, default: 5 },
  },
};

/** What the service stores for a field that a new row does not have; `undefined` for a required one. */
export function initialValueOf(kind: Kind, name: string, { framework }: ServiceDefaults): Json | undefined {
  if (kind === "agents" && name === "framework") return framework;
  if (kind === "swarms" && name === "status") return SWARM_STATUSES[0];
  if (kind === "webhooks" && name === "is_active") return WEBHOOK_DEFAULTS.isActive;
  if ((kind === "schedules" || kind === "triggers") && name === "enabled") return true;
  return FIELDS[kind][name]?.default;
}

/** Columns of a kind: everything that is not a link. */
export function columnsOf(kind: Kind): readonly (readonly [string, FieldRow])[] {
  return Object.entries(FIELDS[kind]).filter(([, { isLink }]) => isLink !== true);
}
