import {
  AGENT_SETTINGS,
  type AgentSettingRow,
  API_VERSIONS,
  AUTH_BOUNDS,
  DEFAULT_RETRY_AFTER_SECONDS,
  EVENT_FEED_LIMIT_PER_USER,
  FIELD_BOUNDS,
  type FieldBounds,
  LIMITS,
  WEBHOOK_DEFAULTS,
  WEBHOOK_LIMIT_PER_USER,
  WEBHOOK_TOLERANCE_SECONDS,
} from "@swarmbase/sdk";
import { authEndpoints } from "../../server/src/auth/index.ts";
import { FUNCTION_TABLE } from "../../server/src/functions/index.ts";
import { MAX_JSON_DEPTH } from "../../server/src/json/index.ts";

const HEAD = `<!-- Generated from clients/sdk/src and the tables of server/src by \`npm run generate -- reference\`. Do not edit by hand. -->

# Limits

This page is for developers who need a number: calls a minute, bounds of every field, sizes. [The guide](../guides/limits.md) describes how limits behave and how a client handles a 429. Every number of the first
table is a [setting](configuration.md#limits); 0 disables a row. A client that receives a 429 without \`Retry-After\` waits
${DEFAULT_RETRY_AFTER_SECONDS} seconds.

## Calls a minute
`;

const COUNTED = {
  api: "every call under `/rest/v1`, `/functions/v1`, `/realtime/v1/api` and `/auth/v1` except auth attempts",
  auth: "the calls of `/auth/v1` below, by address; for the e-mail address in the request the limit is ten times as high",
  ai: "each answer of an agent that is started",
  tool: "each tool call of an agent, and each call of the function `tools`",
  webhook:
    "each request to a webhook: the functions below, and automatic deliveries and their retries, which wait beyond the limit and are never dropped ([why a delivery waits](../guides/limits.md#why-a-delivery-waits))",
} as const satisfies Record<keyof typeof LIMITS, string>;

/** Renders docs/reference/limits.md. */
export function renderLimitsReference(): string {
  return [
    HEAD,
    renderCalls(),
    renderAuth(),
    renderFunctions(),
    renderFields(),
    renderSettings(),
    renderConstants(),
  ].join("\n");
}

function renderCalls(): string {
  const rows = Object.entries(LIMITS).map(
    ([name, { name: title, limit, windowSeconds }]) =>
      `| ${title} | ${limit} | ${windowSeconds} s | ${COUNTED[name as keyof typeof LIMITS]} |`,
  );
  return table(["row", "calls", "window", "what counts"], rows);
}

function renderAuth(): string {
  const rows = authEndpoints
    .filter(({ limit, isAttempt }) => limit === "auth" || isAttempt !== undefined)
    .map(({ method, path, limitOf, isAttempt }) => {
      const refresh = limitOf === undefined ? "" : "`grant_type=password`; a refresh is an API request of its session";
      const note = isAttempt === undefined ? refresh : "with `current_password`; every call is an API request too";
      return `| \`${method} /auth/v1${path}\` | ${note} |`;
    });
  return `Auth attempts are:\n\n${table(["call", ""], rows)}`;
}

function renderFunctions(): string {
  const rows = FUNCTION_TABLE.map(({ name, limit }) => {
    const own = limit === "api" ? LIMITS.api.name : `${LIMITS[limit].name} and ${LIMITS.api.name}`;
    return `| \`${name}\` | ${own} |`;
  });
  return `A call of a function counts for:\n\n${table(["function", "row"], rows)}`;
}

function renderFields(): string {
  const rows = Object.entries<FieldBounds>(FIELD_BOUNDS).map(
    ([field, bounds]) => `| \`${field}\` | ${describe(bounds)} |`,
  );
  return `## Fields\n\nText is counted in code points, JSON in bytes.\n\n${table(["field", "bounds"], rows)}`;
}

function describe(bounds: FieldBounds): string {
  const { min, max } = bounds;
  switch (bounds.kind) {
    case "text list":
      return `up to ${bounds.maxItems} texts of ${min} to ${format(max)} characters`;
    case "text":
      return min === 0 ? `up to ${format(max)} characters` : `${min} to ${format(max)} characters`;
    case "json":
      return `up to ${max / 1024} KiB`;
    case "integer":
      return `${format(min)} to ${format(max)}`;
  }
}

function renderSettings(): string {
  const rows = Object.entries<AgentSettingRow>(AGENT_SETTINGS).map(([key, row]) => {
    return `| \`${key}\` | ${describeSetting(row)} | ${row.default === null ? "null" : row.default} |`;
  });
  return `## Keys of \`agents.settings\`\n\nThe service stores other keys unchanged. Defaults apply when an agent answers.\n\n${table(["key", "values", "default"], rows)}`;
}

function describeSetting(row: AgentSettingRow): string {
  switch (row.kind) {
    case "text list":
      return `null, or up to ${row.maxItems} texts`;
    case "json schema":
      return `null, or a JSON Schema of up to ${row.maxBytes / 1024} KiB`;
    case "integer":
    case "number": {
      const range = row.max === null ? `at least ${row.min}` : `${row.min} to ${row.max}`;
      return row.kind === "integer" ? `an integer, ${range}` : range;
    }
  }
}

function renderConstants(): string {
  const rows = [
    `| nesting of arrays and objects in JSON, in any body or socket frame | ${format(MAX_JSON_DEPTH)} levels; beyond it 400 |`,
    `| access token | ${AUTH_BOUNDS.accessTokenSeconds} s |`,
    `| password | ${AUTH_BOUNDS.passwordMinCharacters} to ${format(AUTH_BOUNDS.passwordMaxCharacters)} characters; \`AUTH_PASSWORD_MIN_LENGTH\` can require more |`,
    "| agents of a user | [`AGENT_LIMIT_PER_USER`](configuration.md), 100 by default; beyond it 403 `AGENT_LIMIT_REACHED` |",
    `| webhooks of a user | ${format(WEBHOOK_LIMIT_PER_USER)}; beyond it 400 \`VALIDATION_ERROR\` |`,
    "| event types of a webhook or feed | their names have 2,600 bytes together, with 8 more for each: about 70 types; beyond it 400 `VALIDATION_ERROR` |",
    `| event feeds of a user | ${format(EVENT_FEED_LIMIT_PER_USER)}; beyond it 400 \`VALIDATION_ERROR\` |`,
    `| webhook \`api_version\` | ${API_VERSIONS.map((version) => `\`${version}\``).join(", ")}; the default is the first, and the value cannot change |`,
    `| webhook \`retry_count\` | ${WEBHOOK_DEFAULTS.retryCount} by default |`,
    `| webhook \`timeout_ms\` | ${format(WEBHOOK_DEFAULTS.timeoutMs)} by default |`,
    `| difference between the timestamp of a delivery and the receiver's clock | ${WEBHOOK_TOLERANCE_SECONDS} s at most |`,
  ];
  return `## Other numbers\n\n${table(["what", "how much"], rows)}`;
}

function table(head: readonly string[], rows: readonly string[]): string {
  return `| ${head.join(" | ")} |\n|${"---|".repeat(head.length)}\n${rows.join("\n")}\n`;
}

function format(count: number): string {
  return count.toLocaleString("en-GB");
}
