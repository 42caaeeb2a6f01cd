import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import { AppError } from "../../src/errors/index.ts";
import type { TableRules } from "../../src/rest/index.ts";
import { createTableRules } from "../../src/tables/index.ts";
import { openStage } from "../schema/support/stage.ts";
import { attempt, passes, placesOf, rejection } from "./support/attempts.ts";
import { rejectionOf } from "./support/rejections.ts";

const ACCEPTED: readonly Record<string, unknown>[] = [
  {},
  { max_turns: 1, max_rounds: 1, max_tool_steps: 1, max_tool_calls: 1, timeout_ms: 1000, history_limit: 1 },
  { max_turns: 50, max_rounds: 10, max_tool_steps: 25, max_tool_calls: 50, timeout_ms: 600_000, history_limit: 500 },
  { on_agent_error: "stop", on_conflict: "interrupt", auto_respond: true },
  { preamble: "" },
  { preamble: "𝕏".repeat(4000) },
  { budget: null },
  { budget: {} },
  { budget: { max_tokens: 0, max_cost_usd: 0.5, max_tokens_per_day: 1e9, max_cost_usd_per_day: null } },
  { budget: { currency: "USD" }, ours: { max_turns: 1000 }, max_turn: "many" },
  { moderation: {} },
  { moderation: { enabled: false, action: "block", blocklist: [] } },
  { moderation: { blocklist: ["𝕏".repeat(200)], severity: 9 } },
  { moderation: { blocklist: Array.from({ length: 1000 }, (_, at) => `t${at}`) } },
];

const REJECTED: readonly [place: string, settings: Record<string, unknown>][] = [
  ...(["max_turns", "max_rounds", "max_tool_steps", "max_tool_calls", "timeout_ms", "history_limit"] as const).flatMap(
    (key) =>
      [0, 1e9, 1.5, -1, "5", null, [], {}, true].map((value): [string, Record<string, unknown>] => [
        `settings.${key}`,
        { [key]: value },
      ]),
  ),
  ["settings.max_turns", { max_turns: 51 }],
  ["settings.max_rounds", { max_rounds: 11 }],
  ["settings.max_tool_steps", { max_tool_steps: 1_001 }],
  ["settings.max_tool_calls", { max_tool_calls: 10_001 }],
  ["settings.timeout_ms", { timeout_ms: 999 }],
  ["settings.timeout_ms", { timeout_ms: 604_800_001 }],
  ["settings.history_limit", { history_limit: 501 }],
  ["settings.on_agent_error", { on_agent_error: "panic" }],
  ["settings.on_agent_error", { on_agent_error: null }],
  ["settings.on_conflict", { on_conflict: "rollback" }],
  ["settings.on_conflict", { on_conflict: ["enqueue"] }],
  ["settings.auto_respond", { auto_respond: "true" }],
  ["settings.auto_respond", { auto_respond: null }],
  ["settings.preamble", { preamble: null }],
  ["settings.preamble", { preamble: ["You are"] }],
  ["settings.preamble", { preamble: "a".repeat(4001) }],
  ["settings.budget", { budget: 5 }],
  ["settings.budget", { budget: [] }],
  ["settings.budget.max_tokens", { budget: { max_tokens: 1.5 } }],
  ["settings.budget.max_tokens_per_day", { budget: { max_tokens_per_day: -1 } }],
  ["settings.budget.max_cost_usd", { budget: { max_cost_usd: "1" } }],
  ["settings.budget.max_cost_usd_per_day", { budget: { max_cost_usd_per_day: 1e12 } }],
  ["settings.moderation", { moderation: true }],
  ["settings.moderation", { moderation: null }],
  ["settings.moderation.enabled", { moderation: { enabled: 1 } }],
  ["settings.moderation.action", { moderation: { action: "ban" } }],
  ["settings.moderation.blocklist", { moderation: { blocklist: "rude" } }],
  ["settings.moderation.blocklist", { moderation: { blocklist: [""] } }],
  ["settings.moderation.blocklist", { moderation: { blocklist: [" "] } }],
  ["settings.moderation.blocklist", { moderation: { blocklist: ["a", 5] } }],
  ["settings.moderation.blocklist", { moderation: { blocklist: ["a".repeat(201)] } }],
  ["settings.moderation.blocklist", { moderation: { blocklist: Array.from({ length: 1001 }, () => "a") } }],
];

describe("settings of a swarm", () => {
  const opened = openStage();
  let pool: pg.Pool;
  let rules: TableRules;
  before(() => {
    pool = new pg.Pool({ connectionString: opened.stage.database.url("sb_service"), max: 2 });
    pool.on("error", () => {});
    rules = createTableRules({ pool });
  });
  after(() => pool.end());

  it("settings within their bounds pass here and in the database, and unknown keys are kept", async () => {
    const { stage } = opened;
    const owner = await stage.newUser();
    const swarm = await stage.newSwarm(owner);
    for (const settings of ACCEPTED) {
      passes(attempt("swarms", "insert", { name: "Room", settings }));
      passes(attempt("swarms", "update", { settings }));
      const [stored] = await stage.update(owner, "swarms", swarm, { settings });
      assert.deepEqual(stored?.["settings"], settings);
    }
  });

  it("settings out of bounds are reported by key, here and in the database", async () => {
    const { stage } = opened;
    const owner = await stage.newUser();
    const swarm = await stage.newSwarm(owner);
    for (const [place, settings] of REJECTED) {
      const shown = JSON.stringify(settings).slice(0, 100);
      assert.deepEqual(placesOf(rejection(attempt("swarms", "update", { settings }))), [place], shown);
      const write = { table: "swarms", operation: "update", row: { settings }, id: swarm } as const;
      const error = await rejectionOf(stage, rules, owner, write);
      assert.ok(error instanceof AppError && error.code === "VALIDATION_ERROR", shown);
      // The database reports only the key; the table rules report the path in it.
      assert.deepEqual(placesOf(error), [place.split(".").slice(0, 2).join(".")], shown);
    }
  });

  it("the operator decides how long runs may be", () => {
    const wide = createTableRules({ pool, runMaxima: { maxToolSteps: 100, maxToolCalls: 200, timeoutMs: 3_600_000 } });
    const placesIn = (of: TableRules | null, settings: object): readonly string[] => {
      const write = attempt("swarms", "update", { settings });
      return placesOf(rejection(write, of ?? undefined));
    };
    const [permitted, beyond] = [
      { max_tool_steps: 100, max_tool_calls: 200, timeout_ms: 3_600_000 },
      { max_tool_steps: 101, max_tool_calls: 201, timeout_ms: 3_600_001 },
    ];
    const places = ["settings.max_tool_calls", "settings.max_tool_steps", "settings.timeout_ms"];
    assert.deepEqual(placesIn(null, permitted), places);
    assert.deepEqual(placesIn(wide, beyond), places);
    passes(attempt("swarms", "update", { settings: permitted }), wide);
  });

  it("all faults of the settings are reported together", () => {
    const settings = { max_turns: 0, budget: { max_tokens: -1, max_cost_usd: -1 }, moderation: { enabled: "no" } };
    assert.deepEqual(placesOf(rejection(attempt("swarms", "insert", { name: "", settings }))), [
      "name",
      "settings.budget.max_cost_usd",
      "settings.budget.max_tokens",
      "settings.max_turns",
      "settings.moderation.enabled",
    ]);
  });
});
