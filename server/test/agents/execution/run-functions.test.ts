import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type pg from "pg";
import { admitRuns } from "../../../src/agents/admission/sql/admit-runs.ts";
import { callTo, endOf, NODE } from "../support/run-calls.ts";
import { openRunStage, type RunStage } from "../support/run-stage.ts";

let stage: RunStage;
let pool: pg.Pool;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
  pool = stage.sql as unknown as pg.Pool;
});
after(async () => {
  for (const close of closers.toReversed()) await close();
});

test("a turn gets all messages of a history of short ones, and the latest 4 MB of one of long ones", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ann"] });
  const say = (content: string, count: number): Promise<unknown> =>
    stage.rows(
      `insert into public.messages (swarm_id, sender_type, sender_user_id, content)
       select $1, 'user', $2, $3 from generate_series(1, $4)`,
      [swarm.swarmId, swarm.ownerId, content, count],
    );
  const readSizes = async (): Promise<(number | undefined)[]> => {
    await stage.rows("begin");
    try {
      const [admitted] = await admitRuns(pool, [callTo(swarm)], NODE);
      assert.ok(admitted && "run_id" in admitted);
      return admitted.started?.opened?.messages.map(({ content }) => content?.length) ?? [];
    } finally {
      await stage.rows("rollback");
    }
  };
  await say("short", 3);
  assert.deepEqual(await readSizes(), [5, 5, 5, 5]);
  // 300 kB each.
  await say("€".repeat(100_000), 20);
  assert.deepEqual(await readSizes(), [...Array.from({ length: 14 }, () => 100_000), 5]);
});

test("the prompt of a model call is stored when an older node sends it as a member of the call", async () => {
  const swarm = await stage.newSwarm({ agents: ["Ann"] });
  const call = callTo(swarm);
  await admitRuns(pool, [call], NODE);
  const { hold, steps, events } = endOf(call);
  const prompt = {
    kept_messages: 0,
    system: "Be brief.",
    messages: [{ role: "user", parts: [{ seq: 1 }] }],
    tools: [],
    tool_choice: "auto",
    settings: {},
    max_output_tokens: null,
    sha256: "00",
  };
  const modelCall = {
    id: randomUUID(),
    framework: "provider_a",
    model: "scripted",
    attempt: 1,
    status: "succeeded",
    error: null,
    finish_reason: "stop",
    started_at: new Date().toISOString(),
    first_token_ms: 1,
    duration_ms: 2,
    prompt,
  };
  const sent = steps.map((step) => (step.op === "finish_turn" ? { ...step, model_calls: [modelCall] } : step));
  await stage.rows("select private.advance_runs($1)", [
    JSON.stringify([{ place: 0, run_id: hold.runId, fence: hold.fence, steps: sent, events, is_repeated: false }]),
  ]);
  const stored = await stage.rows("select system, messages from public.model_call_prompts where model_call_id = $1", [
    modelCall.id,
  ]);
  assert.deepEqual(stored, [{ system: prompt.system, messages: prompt.messages }]);
});
