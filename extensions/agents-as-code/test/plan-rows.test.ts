import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@swarmbase/sdk";
import type { Draft } from "../src/plan/plan.ts";
import { planRow } from "../src/plan/plan-rows.ts";

/** What an update of the stored tool would send for a file. */
function bodyFor(given: JsonObject): JsonObject | null {
  const stored = { type: "object", properties: { since: { type: "integer" } }, required: [] };
  const columns = { name: "orders", description: "Lists.", category: null, icon: null, secrets: {}, ...given };
  const all = {
    ...columns,
    visibility: "private",
    requires_approval: false,
    timeout_ms: 30_000,
    max_output_chars: 16_000,
    max_retries: 1,
    idempotent: false,
    enabled: true,
    input_schema: stored,
  };
  const draft: Draft = {
    steps: [],
    deletions: [],
    notes: new Set(),
    faults: [],
    secrets: new Set(),
    outdated: new Set(),
    unchanged: 0,
  };
  const source = { file: "tools/orders.yaml", value: {}, lineOf: () => 1 };
  const resource = { kind: "tools", key: "orders", id: null, given, source } as unknown as Parameters<
    typeof planRow
  >[0]["resource"];
  const row = { kind: "tools" as const, id: "1", name: "orders", updatedAt: "", columns: all, row: all };
  const variables = {} as Parameters<typeof planRow>[2]["variables"];
  const defaults = { framework: "provider_a" };
  const options = { ownerId: "1", variables, writesSecrets: false, writer: "service", defaults } as const;
  planRow({ resource, row, id: "1" }, draft, options);
  return draft.steps[0]?.body ?? null;
}

test("a file without input_schema resets it, unless the service has derived it from a function or the kind", () => {
  const own = { name: "orders", description: "Lists." };
  const empty = { type: "object", properties: {} };
  assert.deepEqual(bodyFor({ ...own, kind: "http", config: { url: "https://shop.example.com/" } }), {
    input_schema: empty,
  });
  const rpc = { ...own, kind: "rpc", config: { function: "list_orders" } };
  assert.equal(bodyFor(rpc), null);
  assert.equal(bodyFor({ ...own, kind: "schedule", config: { action: "schedule" } }), null);
  assert.deepEqual(bodyFor({ ...rpc, input_schema: empty }), { input_schema: empty });
});
