import assert from "node:assert/strict";
import { test } from "node:test";
import {
  AGENT_SETTINGS,
  AGENT_STATUSES,
  DELIVERY_STATUSES,
  ERROR_CODES,
  EVENT_TYPES,
  EVENT_TYPES_BY_GROUP,
  FRAMEWORKS,
  isEventType,
  LIMITS,
  RETRY_SCHEDULE_SECONDS,
  RUN_STATUSES,
  SWARM_STRATEGIES,
  WEBHOOK_HEADERS,
} from "@swarmbase/sdk";

test("7.3 the named codes have the statuses of the interface", () => {
  const expected = {
    AGENT_NOT_FOUND: 404,
    AGENT_LIMIT_REACHED: 403,
    INVALID_FRAMEWORK: 400,
    INVALID_MODEL: 400,
    PERMISSION_DENIED: 403,
    WEBHOOK_NOT_FOUND: 404,
    WEBHOOK_DISABLED: 403,
    INVALID_URL: 400,
    INVALID_EVENTS: 400,
    DELIVERY_FAILED: 502,
    UNAUTHORIZED: 401,
    FORBIDDEN: 403,
    RATE_LIMITED: 429,
    VALIDATION_ERROR: 400,
  } as const;
  for (const [code, status] of Object.entries(expected)) {
    assert.equal(ERROR_CODES[code as keyof typeof expected].status, status, code);
  }
});

test("every code has an error status and a one-line meaning", () => {
  for (const [code, row] of Object.entries(ERROR_CODES)) {
    assert.match(code, /^[A-Z]+(_[A-Z]+)*$/);
    assert.ok(row.status >= 400 && row.status < 600, code);
    assert.match(row.error, /^[A-Z][^\n.]+$/, code);
    assert.match(row.meaning, /^[A-Z`][^\n]+\.$/, code);
  }
});

test("6.1 event types are distinct, and each begins with the name of its group", () => {
  assert.equal(new Set(EVENT_TYPES).size, EVENT_TYPES.length);
  for (const [group, types] of Object.entries(EVENT_TYPES_BY_GROUP))
    for (const type of types) assert.match(type, new RegExp(`^${group}\\.[a-z_]+$`));
  assert.ok(isEventType("user.role_changed"));
  assert.ok(!isEventType("*"));
  assert.ok(!isEventType("agent.status"));
});

test("8 LIMITS has the five limit rows of the interface", () => {
  assert.deepEqual(
    Object.values(LIMITS).map(({ name, limit, windowSeconds }) => [name, limit, windowSeconds]),
    [
      ["API requests", 100, 60],
      ["Auth attempts", 10, 60],
      ["AI responses", 30, 60],
      ["Tool executions", 50, 60],
      ["Webhook sends", 100, 60],
    ],
  );
});

test("6.4 the retry schedule adds up to 2 h 36 min", () => {
  let total = 0;
  const totals = RETRY_SCHEDULE_SECONDS.map((delay) => {
    total += delay;
    return total / 60;
  });
  assert.deepEqual(totals, [0, 1, 6, 36, 156]);
});

test("2.2 AGENT_SETTINGS has the settings of the interface with their defaults", () => {
  const defaults = Object.fromEntries(Object.entries(AGENT_SETTINGS).map(([key, row]) => [key, row.default]));
  assert.deepEqual(defaults, {
    temperature: 0.7,
    max_tokens: 4096,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_p: 1,
    stop: null,
    response_schema: null,
    tool_history: 3,
  });
});

test("3 lists of statuses begin with the initial status and have no duplicates", () => {
  assert.equal(AGENT_STATUSES[0], "idle");
  assert.equal(DELIVERY_STATUSES[0], "pending");
  assert.equal(FRAMEWORKS[0], "provider_a");
  for (const list of [AGENT_STATUSES, DELIVERY_STATUSES, FRAMEWORKS, RUN_STATUSES, SWARM_STRATEGIES]) {
    assert.equal(new Set<string>(list).size, list.length);
  }
});

test("6.2 WEBHOOK_HEADERS has the header names of the interface", () => {
  assert.deepEqual(Object.values(WEBHOOK_HEADERS), [
    "X-Service-Signature",
    "X-Service-Event",
    "X-Service-Delivery",
    "X-Service-Timestamp",
  ]);
});
