import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EVENT_TYPES } from "@swarmbase/sdk";
import { randomBytes, randomUUID } from "node:crypto";
import { createToolChecks } from "../../src/agents/index.ts";
import { AppError, renderError } from "../../src/errors/index.ts";
import { createTableRules } from "../../src/tables/index.ts";
import {
  attempt,
  check,
  OTHER,
  type Operation,
  passes,
  placesOf,
  pureRules,
  rejection,
  USER,
} from "./support/attempts.ts";

const WIDE = "𝕏";
const URL_OF = (length: number): string => "https://example.com/".padEnd(length, "a");
/** So many bytes as the database writes them. */
const JSON_OF = (bytes: number): object => ({ k: "a".repeat(bytes - '{"k": ""}'.length) });
const HOOK = { name: "Hook", url: "https://hooks.example.com/x", events: ["agent.created"] };

/** A row that passes, for tables that need more than the field in question. */
const NEW_ROWS: Readonly<Record<string, Record<string, unknown>>> = {
  agents: { name: "Ada" },
  webhooks: HOOK,
  tools: { name: "search", description: "Looks things up" },
  agent_tools: { agent_id: USER, tool_id: OTHER },
  swarms: { name: "Room" },
  swarm_members: { swarm_id: USER, user_id: OTHER },
  swarm_agents: { swarm_id: USER, agent_id: OTHER },
  messages: { swarm_id: USER, content: "Hello" },
  message_flags: { message_id: USER },
  guardrails: { agent_id: USER, name: "Cards", kind: "pattern", stage: "input", config: { pattern: "a" } },
  profiles: { id: USER },
  user_settings: { user_id: USER },
};

const ACCEPTED: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  agents: [
    { name: WIDE.repeat(100) },
    { name: ` ${"a".repeat(100)}\u3000` },
    { role: null },
    { role: "" },
    { avatar: URL_OF(2048) },
    { description: null },
    { description: WIDE.repeat(2000) },
    { starter_questions: [] },
    { starter_questions: Array.from({ length: 10 }, () => ` ${WIDE.repeat(200)}\u3000`) },
    { framework: "provider_c" },
    { model: "" },
    { model: null },
    { model: "m".repeat(200) },
    { system_prompt: WIDE.repeat(100_000) },
    { settings: { temperature: 2, max_tokens: 1, top_p: 0, presence_penalty: -2, frequency_penalty: 2, stop: null } },
    { settings: { stop: Array.from({ length: 16 }, String), unknown: [null] } },
    { settings: { response_schema: null } },
    { settings: { response_schema: { type: "object" } } },
    { settings: JSON_OF(32_768) },
    { status: "error" },
    { id: USER.toUpperCase() },
    { id: `{${USER.replaceAll("-", "")}}` },
    { created_at: "nonsense", updated_at: 5, status_changed_at: {} },
  ],
  webhooks: [
    { url: URL_OF(2048) },
    { url: "HTTPS://example.com:8443/a?b=c#d" },
    { events: EVENT_TYPES },
    { headers: { Authorization: "Bearer x", "X-Other": "\t y" } },
    { retry_count: 0, timeout_ms: 120_000, is_active: false },
    { secret: null },
  ],
  tools: [{ input_schema: { type: "object" } }, { owner_id: null }, { kind: "mcp", visibility: "shared", icon: null }],
  agent_tools: [{ enabled: false, configuration: {} }, { user_id: null }],
  swarms: [{ coordinator_agent_id: null, strategy: "parallel", status: "paused" }],
  swarm_members: [
    { user_id: null, invited_email: "a@example.com" },
    { user_id: null, email: " A@example.com " },
  ],
  swarm_agents: [{ position: null }, { position: 0, role_override: null }],
  messages: [
    { content: WIDE.repeat(100_000) },
    { mentions: [USER], metadata: { a: 1 }, reply_to_id: null, client_message_id: "1" },
  ],
  message_flags: [{ category: null, reason: "r".repeat(1000) }],
  guardrails: [
    { agent_id: null, swarm_id: USER },
    { action: "rewrite", position: 1000, is_active: false },
    { kind: "model", config: { policy: "p", framework: "provider_b", model: "m", on_error: "pass" } },
    { kind: "webhook", config: { url: "https://example.com", timeout_ms: 30_000, headers: { a: "b" } } },
    { kind: "schema", config: { schema: {}, replacement: "" } },
    { secret: "whsec_x", created_at: null },
  ],
  profiles: [{ full_name: null, avatar_url: "http://example.com" }],
  user_settings: [{ default_framework: null, daily_token_budget: 0, daily_cost_budget_usd: 0.000000001 }],
};

const REJECTED: Readonly<Record<string, readonly [place: string, record: Record<string, unknown>][]>> = {
  agents: [
    ["name", { name: "" }],
    ["name", { name: " \u00a0\ufeff" }],
    ["name", { name: WIDE.repeat(101) }],
    ["name", { name: 5 }],
    ["name", { name: null }],
    ["name", { name: "a\0" }],
    ["name", { name: "\ud800" }],
    ["user_id", { user_id: null }],
    ["user_id", { user_id: "me" }],
    ["role", { role: "r".repeat(201) }],
    ["role", { role: ["x"] }],
    ["avatar", { avatar: "javascript:alert(1)" }],
    ["avatar", { avatar: URL_OF(2049) }],
    ["description", { description: WIDE.repeat(2001) }],
    ["description", { description: 1 }],
    ["starter_questions", { starter_questions: null }],
    ["starter_questions", { starter_questions: "a" }],
    ["starter_questions", { starter_questions: Array.from({ length: 11 }, String) }],
    ["starter_questions", { starter_questions: ["a", WIDE.repeat(201)] }],
    ["starter_questions", { starter_questions: ["a", " "] }],
    ["starter_questions", { starter_questions: ["a\0"] }],
    ["starter_questions", { starter_questions: [null] }],
    ["starter_questions", { starter_questions: [["a"]] }],
    ["framework", { framework: null }],
    ["framework", { framework: 1 }],
    ["model", { model: "m".repeat(201) }],
    ["system_prompt", { system_prompt: "a".repeat(100_001) }],
    ["settings", { settings: null }],
    ["settings", { settings: [] }],
    ["settings", { settings: "{}" }],
    ["settings", { settings: JSON_OF(32_769) }],
    ["settings", { settings: { a: { "b\0": 1 } } }],
    ["settings.temperature", { settings: { temperature: 2.1 } }],
    ["settings.temperature", { settings: { temperature: "1" } }],
    ["settings.temperature", { settings: { temperature: null } }],
    ["settings.max_tokens", { settings: { max_tokens: 0 } }],
    ["settings.max_tokens", { settings: { max_tokens: 1.5 } }],
    ["settings.max_tokens", { settings: { max_tokens: 1e300 } }],
    ["settings.top_p", { settings: { top_p: 1.1 } }],
    ["settings.presence_penalty", { settings: { presence_penalty: -2.1 } }],
    ["settings.frequency_penalty", { settings: { frequency_penalty: true } }],
    ["settings.response_schema", { settings: { response_schema: "x" } }],
    ["settings.response_schema", { settings: { response_schema: [] } }],
    ["settings.stop", { settings: { stop: "x" } }],
    ["settings.stop", { settings: { stop: ["x", 1] } }],
    ["settings.stop", { settings: { stop: Array.from({ length: 17 }, String) } }],
    ["status", { status: "asleep" }],
    ["id", { id: "1" }],
  ],
  webhooks: [
    ["name", { name: " " }],
    ["url", { url: 5 }],
    ["url", { url: null }],
    ["url", { url: URL_OF(2049) }],
    ["events", { events: [] }],
    ["events", { events: "agent.created" }],
    ["events", { events: ["agent.created", 1] }],
    ["events", { events: null }],
    ["is_active", { is_active: "yes" }],
    ["headers", { headers: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`x-${at}`, ""])) }],
    ["headers.Host", { headers: { Host: "a" } }],
    ["headers.x-a", { headers: { "x-a": "é" } }],
    ["headers.x-a", { headers: { "x-a": 1 } }],
    ["headers.X-A", { headers: { "x-a": "", "X-A": "" } }],
    ["retry_count", { retry_count: 11 }],
    ["retry_count", { retry_count: 1.5 }],
    ["retry_count", { retry_count: "3" }],
    ["timeout_ms", { timeout_ms: 0 }],
  ],
  tools: [
    ["name", { name: "1st" }],
    ["description", { description: "" }],
    ["input_schema.type", { input_schema: {} }],
    ["kind", { kind: "shell" }],
    ["visibility", { visibility: "all" }],
    ["timeout_ms", { timeout_ms: 999 }],
  ],
  agent_tools: [
    ["agent_id", { agent_id: "x" }],
    ["tool_id", { tool_id: null }],
    ["enabled", { enabled: null }],
    ["configuration", { configuration: 1 }],
  ],
  swarms: [
    ["name", { name: "a".repeat(101) }],
    ["coordinator_agent_id", { coordinator_agent_id: 5 }],
    ["strategy", { strategy: "chaos" }],
  ],
  swarm_members: [
    ["role", { role: "king" }],
    ["invited_email", { invited_email: "nobody" }],
    ["email", { email: "nobody" }],
  ],
  swarm_agents: [["position", { position: -1 }]],
  messages: [
    ["content", { content: "" }],
    ["mentions", { mentions: ["all"] }],
    ["mentions", { mentions: Array.from({ length: 101 }, () => USER) }],
    ["client_message_id", { client_message_id: "" }],
    ["content_type", { content_type: "html" }],
  ],
  message_flags: [["status", { status: "closed" }]],
  guardrails: [
    ["name", { name: " " }],
    ["stage", { stage: "tool" }],
    ["action", { action: "flag" }],
    ["position", { position: -1 }],
    ["config", { config: [] }],
  ],
  profiles: [["avatar_url", { avatar_url: "ftp://example.com" }]],
  user_settings: [
    ["default_framework", { default_framework: "openai" }],
    ["daily_token_budget", { daily_token_budget: -1 }],
    ["daily_cost_budget_usd", { daily_cost_budget_usd: 1e9 }],
    ["require_request_signature", { require_request_signature: 1 }],
  ],
};

describe("rows of the service's tables", () => {
  for (const [table, base] of Object.entries(NEW_ROWS)) {
    it(`${table}: valid rows pass`, () => {
      passes(attempt(table, "insert", base));
      for (const record of ACCEPTED[table] ?? []) {
        passes(attempt(table, "insert", { ...base, ...record }));
        passes(attempt(table, "upsert", { ...base, ...record }));
      }
    });

    it(`${table}: an invalid value is reported by field`, () => {
      for (const [place, record] of REJECTED[table] ?? []) {
        for (const operation of ["insert", "upsert", "update"] as const) {
          const { code, extra } = rejection(attempt(table, operation, { ...base, ...record }));
          const shown = JSON.stringify({ operation, record, details: extra.details }).slice(0, 300);
          assert.equal(code, "VALIDATION_ERROR", shown);
          assert.deepEqual(Object.keys(extra.details as object), [place], shown);
        }
      }
    });

    it(`${table}: required fields are required in a new row and not in an update`, () => {
      passes(attempt(table, "update", {}));
      const error = check(attempt(table, "insert", {}));
      assert.ok(error instanceof AppError);
      assert.deepEqual(
        placesOf(error),
        Object.keys(base)
          .filter((field) => !(table === "swarm_members" && field === "invited_email"))
          .toSorted(),
      );
    });
  }

  it("all faults of all rows are reported together", () => {
    const error = rejection(
      attempt("agents", "insert", [
        { name: "Ada", settings: {} },
        { name: "", settings: { temperature: 3, top_p: 2 } },
        { name: 1, settings: null },
      ]),
    );
    assert.deepEqual(placesOf(error), ["1.name", "1.settings.temperature", "1.settings.top_p", "2.name", "2.settings"]);
    assert.equal(error.message, "5 fields are not valid");
  });

  it("a message names the bound that a number exceeds", () => {
    const detailOf = (count: number): unknown =>
      rejection(attempt("read_positions", "insert", { swarm_id: USER, last_read_seq: count })).extra.details;
    assert.deepEqual(detailOf(-1), { last_read_seq: "must be at least 0" });
    assert.deepEqual(detailOf(1e19), { last_read_seq: "must be at most 9223372036854774784" });
  });

  it("only columns to write are validated", () => {
    passes(attempt("agents", "insert", { name: "Ada", role: 5 }, { columns: ["name"] }));
    assert.deepEqual(placesOf(rejection(attempt("agents", "insert", { name: "Ada" }, { columns: ["role"] }))), [
      "name",
    ]);
  });

  it("keys of Object.prototype are not fields", () => {
    const row = JSON.parse('{"name": "Ada", "__proto__": {"role": 5}, "constructor": 1}') as Record<string, unknown>;
    passes(attempt("agents", "insert", row));
    assert.deepEqual(placesOf(rejection(attempt("agents", "insert", { constructor: 1 }))), ["name"]);
  });

  it("the service role must send the owner", () => {
    const principal = { role: "service_role", userId: null } as const;
    for (const [table, column] of [
      ["agents", "user_id"],
      ["webhooks", "user_id"],
      ["swarms", "owner_id"],
    ] as const) {
      const base = NEW_ROWS[table] ?? {};
      assert.deepEqual(placesOf(rejection(attempt(table, "insert", base, { principal }))), [column]);
      assert.equal(check(attempt(table, "insert", { ...base, [column]: USER }, { principal })), null);
      assert.equal(check(attempt(table, "update", {}, { principal })), null);
    }
  });

  it("fields are not validated for anonymous callers", () => {
    assert.equal(check(attempt("agents", "insert", {}, { principal: { role: "anon", userId: null } })), null);
  });

  it("user tables are not validated", () => {
    assert.equal(check(attempt("invoices", "insert", { name: 5 })), null);
    assert.equal(
      check(attempt("agents", "insert", { name: 5 }, { relation: { schema: "shop", name: "agents" } })),
      null,
    );
    assert.equal(check(attempt("toString", "insert", { name: 5 })), null);
  });

  it("numbers and booleans of CSV and form bodies are parsed from texts", () => {
    const row = { ...HOOK, events: "{agent.created}", retry_count: "3", is_active: "f", timeout_ms: " 100 " };
    for (const source of ["csv", "form"] as const) {
      passes(attempt("webhooks", "insert", row, { source }));
      const error = rejection(
        attempt("webhooks", "insert", { ...row, retry_count: "11", is_active: "so" }, { source }),
      );
      assert.deepEqual(placesOf(error), ["is_active", "retry_count"]);
    }
  });
});

describe("specific error codes", () => {
  const faultsOf = (table: string, operation: Operation, record: Record<string, unknown>) => {
    const error = rejection(attempt(table, operation, { ...NEW_ROWS[table], ...record }));
    return { code: error.code, places: placesOf(error), errors: error.extra.errors };
  };

  it("an unknown framework is VALIDATION_ERROR on create and INVALID_FRAMEWORK on update", () => {
    const framework = "openai";
    const errors = [{ field: "framework", code: "INVALID_FRAMEWORK" }];
    assert.deepEqual(faultsOf("agents", "insert", { framework }), {
      code: "VALIDATION_ERROR",
      places: ["framework"],
      errors,
    });
    assert.deepEqual(faultsOf("agents", "update", { framework }), {
      code: "INVALID_FRAMEWORK",
      places: ["framework"],
      errors: undefined,
    });
    const { body } = renderError(rejection(attempt("agents", "insert", { name: "Ada", framework })));
    assert.deepEqual((JSON.parse(body) as { errors: unknown }).errors, errors);
  });

  it("a URL that is not HTTPS is INVALID_URL", () => {
    const urls = [
      "",
      "http://example.com",
      "https://",
      "https:example.com",
      "https://exa mple.com",
      "https://example.com/\n",
      "https://user:pass@example.com",
      "https://example.com:0/",
      "https://example.com:99999/",
      "https://[::1",
      "https://a\\b",
      "ftp://example.com",
    ];
    for (const url of urls)
      for (const operation of ["insert", "update"] as const)
        assert.deepEqual(faultsOf("webhooks", operation, { url }).code, "INVALID_URL", url);
  });

  it("an address that the policy rejects is INVALID_URL", () => {
    const rules = createTableRules({
      pool: {} as never,
      findUrlFault: (url) => (url.includes("10.0.0.1") ? "The address 10.0.0.1 must not be reached." : null),
    });
    const error = rejection(attempt("webhooks", "insert", { ...HOOK, url: "https://10.0.0.1/" }), rules);
    assert.deepEqual(
      [error.code, error.extra.details],
      ["INVALID_URL", { url: "The address 10.0.0.1 must not be reached." }],
    );
    assert.equal(error.message, "The address 10.0.0.1 must not be reached.");
    assert.equal(check(attempt("webhooks", "insert", HOOK), rules), null);
  });

  it("a response_schema is a JSON Schema of limited size, depth and time, without remote references", () => {
    const tools = createToolChecks({ key: randomBytes(32), newId: randomUUID, findUrlFault: () => null });
    const rules = createTableRules({ pool: {} as never, tools });
    const write = (schema: unknown) =>
      attempt("agents", "insert", { name: "Ada", settings: { response_schema: schema } });
    const deep = (levels: number): object => (levels === 0 ? {} : { items: deep(levels - 1) });
    const cases: readonly (readonly [unknown, RegExp])[] = [
      [{ type: "nothing" }, /is not a JSON Schema/],
      [{ title: "x".repeat(16_384) }, /at most 16384 bytes/],
      [deep(40), /nested deeper than 32 levels/],
      [{ $ref: "https://example.com/schema.json" }, /refer to parts of itself only/],
      [{ pattern: "(?=a)(a+)+$" }, /linear time/],
    ];
    for (const [schema, message] of cases) {
      const { code, extra } = rejection(write(schema), rules);
      assert.equal(code, "VALIDATION_ERROR");
      assert.match(String((extra.details as Record<string, string>)["settings.response_schema"]), message);
    }
    const city = { type: "object", properties: { city: { type: "string", pattern: "^(a+)+$" } }, required: ["city"] };
    assert.equal(check(write(city), rules), null);
  });

  it("an unknown event is INVALID_EVENTS", () => {
    for (const events of [["*"], ["agent.created", "agent.born"], [""]])
      assert.deepEqual(faultsOf("webhooks", "insert", { events }), {
        code: "INVALID_EVENTS",
        places: ["events"],
        errors: undefined,
      });
  });

  it("several specific codes give the first, with all details", () => {
    const both = faultsOf("webhooks", "update", { url: "", events: ["*"] });
    assert.deepEqual(both, { code: "INVALID_URL", places: ["events", "url"], errors: undefined });
  });

  it("a fault without a specific code makes the error VALIDATION_ERROR", () => {
    assert.deepEqual(faultsOf("webhooks", "insert", { url: "", events: ["*"], name: "" }), {
      code: "VALIDATION_ERROR",
      places: ["events", "name", "url"],
      errors: [
        { field: "url", code: "INVALID_URL" },
        { field: "events", code: "INVALID_EVENTS" },
      ],
    });
    assert.equal(faultsOf("agents", "update", { framework: "openai", name: "" }).code, "VALIDATION_ERROR");
  });
});

describe("columns that the service manages", () => {
  it("are ignored without copying the rows", () => {
    const written = attempt("agents", "update", {
      name: "Ada",
      created_at: "x",
      updated_at: 1,
      status_changed_at: null,
    });
    const found = pureRules.beforeWrite(written);
    assert.deepEqual(found?.columns, ["name"]);
    assert.equal(found?.rows, written.rows);
  });

  it("still touch the row when nothing else is sent", () => {
    const found = pureRules.beforeWrite(attempt("agents", "update", { updated_at: "x" }));
    assert.deepEqual(found, { rows: [{ updated_at: null }], columns: ["updated_at"] });
  });

  it("a secret on create is rejected with a reference to regenerate_secret", () => {
    const error = rejection(attempt("webhooks", "insert", { ...HOOK, secret: "whsec_x" }));
    assert.equal(error.code, "VALIDATION_ERROR");
    assert.match(error.message, /regenerate_secret/);
    passes(attempt("webhooks", "upsert", { ...HOOK, secret: "whsec_x" }));
    passes(attempt("webhooks", "update", { secret: "whsec_x" }));
  });

  it("an id cannot be changed by an update of one row", () => {
    const pinned = { pinnedId: USER };
    passes(attempt("agents", "update", { id: USER.toUpperCase() }, pinned));
    const error = rejection(attempt("agents", "update", { id: OTHER }, pinned));
    assert.deepEqual([error.code, error.extra.details], ["VALIDATION_ERROR", { id: "cannot be changed" }]);
    passes(attempt("agents", "update", [{ id: OTHER }], pinned));
    passes(attempt("agents", "update", { id: OTHER }));
  });

  it("email is an alias of invited_email", () => {
    const found = pureRules.beforeWrite(attempt("swarm_members", "insert", { swarm_id: USER, email: "a@example.com" }));
    assert.deepEqual(found?.columns, ["swarm_id", "invited_email"]);
    assert.equal(found?.rows[0]?.["invited_email"], "a@example.com");
    const both = { swarm_id: USER, email: "a@example.com", invited_email: "b@example.com" };
    assert.deepEqual(placesOf(rejection(attempt("swarm_members", "insert", both))), ["email"]);
  });
});
