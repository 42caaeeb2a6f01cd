import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, test } from "node:test";
import { openRespond, type Respond } from "../../../src/agents/respond/open-respond.ts";
import type { RunBody } from "../../../src/agents/streams/run-body.ts";
import { AppError } from "../../../src/errors/index.ts";
import { codeOf, IN_FRONT, LISTENING } from "../support/respond-stage.ts";
import {
  calls,
  collect,
  hangs,
  lastRole,
  type NewSwarm,
  openRelayedRunStage,
  type RunNode,
  says,
} from "../support/run-stage.ts";
import { createSchemaCompiler } from "../../../src/agents/schemas/schema-compiler.ts";
import { until } from "../../support/until.ts";

let stage: Awaited<ReturnType<typeof openRelayedRunStage>>;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRelayedRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

/** Longer than the retries of the driver or a few quick attempts. */
const OUTAGE_MS = 2_000;

async function cutFor(durationMs: number): Promise<void> {
  await stage.relay.cut();
  void sleep(durationMs).then(() => stage.relay.restore());
}

function respondOn(node: RunNode, subscriberTimes?: { checkMs: number; maxUncheckedMs: number }): Respond {
  const respond = openRespond({
    pool: stage.pool,
    streamHub: node.streamHub,
    executor: node.executor,
    schemas: createSchemaCompiler({ maxKept: 10 }),
    models: {
      describe: (_framework, model) => ({
        model: model ?? "scripted",
        contextWindow: 32_000,
        hasTools: true,
        hasImages: true,
        isReasoning: false,
      }),
    },
    queueLimit: 3,
    queueWaitMs: 60_000,
    newId: randomUUID,
    countRuns: () => 0,
    chargeStart: async () => {},
    onEvents: () => {},
    ...(subscriberTimes !== undefined && { subscriberTimes }),
  });
  closers.push(async () => respond.close());
  return respond;
}

function ask(respond: Respond, { swarmId, ownerId }: NewSwarm): ReturnType<Respond["start"]> {
  const request = {
    swarmId,
    message: "hello",
    agentId: null,
    conversation: null,
    isNewConversation: false,
    continuesConversation: false,
    namesOverrides: false,
    agentIds: null,
    onConflict: null,
    maxTurns: null,
    responseSchema: null,
    clientTools: [],
    toolChoice: null,
    images: [],
    replyToId: null,
    clientMessageId: null,
    regenerates: null,
    metadata: {},
    idempotencyKey: null,
    fingerprint: "",
    traceparent: null,
    charge: async () => {},
  };
  const principal = { role: "authenticated", userId: ownerId, claims: {}, session: null } as const;
  return respond.start(principal, request, { ...LISTENING, ...IN_FRONT });
}

describe("during a database outage", () => {
  test("a finished answer is kept, stored afterwards and returned to the client", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const node = stage.node({
      script: async function* (call) {
        yield* says(call, "worth ", "keeping");
        await cutFor(OUTAGE_MS);
      },
    });
    node.start();
    const answer = await ask(respondOn(node), swarm);
    assert.ok("body" in answer);
    assert.deepEqual([answer.status, answer.body.status, answer.body.stop_reason], [200, "completed", "all_replied"]);
    assert.deepEqual(
      (await stage.texts(answer.body.run_id)).map(({ content }) => content),
      ["worth keeping"],
    );
    await node.stop();
  });

  test("a streaming run continues and stores every delta once", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const words = Array.from({ length: 60 }, (_, at) => `${at} `);
    const node = stage.node({
      script: async function* (call) {
        yield { type: "start", framework: call.framework, model: "scripted", attempt: 1 };
        for (const [at, delta] of words.entries()) {
          yield { type: "text", delta };
          if (at === 10) await cutFor(OUTAGE_MS);
          await sleep(50);
        }
        yield* says(call);
      },
    });
    node.start();
    const runId = await stage.ask(swarm);
    node.executor.wake();
    await stage.end(runId);
    assert.deepEqual(
      (await stage.texts(runId)).map(({ content }) => content),
      [words.join("")],
    );
    const stored = await stage.rows<{ deltas: string[] }>(
      "select data -> 'deltas' as deltas from public.run_events where run_id = $1 and type = 'message.delta' order by seq",
      [runId],
    );
    assert.deepEqual(
      stored.flatMap(({ deltas }) => deltas),
      words,
    );
    await node.stop();
  });
});

describe("a committed write whose response is lost", () => {
  /** Two agents; the first uses a tool. Without workers only the run itself uses the database. */
  async function loseAnswerTo(text: string): Promise<void> {
    const swarm = await stage.newSwarm({ agents: ["Ada", "Bo"] });
    await stage.newTool(swarm.agentIds[0] ?? "", "look_up");
    const node = stage.node({
      script: (call) =>
        call.agent.name === "Ada" && lastRole(call) === "user"
          ? calls(call, { name: "look_up" })
          : says(call, `I am ${call.agent.name}`),
    });
    const runId = await stage.ask(swarm);
    const shown = collect(node, runId);
    const lost = stage.relay.loseAnswerTo(text);
    await node.take(runId);
    await lost;
    const { status, stop_reason: reason } = await stage.end(runId);
    assert.deepEqual([status, reason], ["completed", "all_replied"]);
    assert.deepEqual(
      (await stage.texts(runId)).map(({ content }) => content),
      ["I am Ada", "I am Bo"],
    );
    await until(() => !node.streamHub.isHere(runId), "the node has released the run");
    const stored = await stage.rows<{ seq: number }>(
      "select seq from public.run_events where run_id = $1 and type !~ '[.](delta|completed)$' order by seq",
      [runId],
    );
    const seqs = shown.filter(({ type }) => !/[.](?:delta|completed)$/.test(type)).map(({ seq }) => seq);
    // `run.started` precedes the subscription, and the end of a run can also be read from the database.
    const expected = stored.map(({ seq }) => seq).slice(1);
    assert.deepEqual(seqs, text.includes("finish_run") ? expected.slice(0, seqs.length) : expected);
    const [usage] = await stage.rows("select count(*)::integer as turns from public.usage_records where run_id = $1", [
      runId,
    ]);
    assert.deepEqual(usage, { turns: 2 });
  }

  for (const op of ["start_turn", "start_tool", "finish_tool", "finish_turn", "finish_run"])
    test(`${op} is neither lost nor repeated`, () => loseAnswerTo(`"op":"${op}"`));

  for (const statement of ["agents-reserve-budget", '"op":"settle_reservations"'])
    test(`${statement} reserves and settles once`, async () => {
      const swarm = await stage.newSwarm({ agents: ["Ada"], settings: { budget: { max_tokens: 5_000 } } });
      await stage.newTool(swarm.agentIds[0] ?? "", "look_up");
      const node = stage.node({
        script: (call) => (lastRole(call) === "user" ? calls(call, { name: "look_up" }) : says(call, "done")),
      });
      const runId = await stage.ask(swarm);
      const lost = stage.relay.loseAnswerTo(statement);
      await node.take(runId);
      await lost;
      assert.equal((await stage.end(runId)).stop_reason, "all_replied");
      const [left] = await stage.rows(
        `select (select sum(input_tokens + output_tokens)::integer from public.usage_records where run_id = $1) as spent,
           (select count(*)::integer from private.budget_reservations where run_id = $1) as held`,
        [runId],
      );
      assert.deepEqual(left, { spent: 30, held: 0 });
    });

  test("deltas are neither lost nor repeated", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const runId = await stage.ask(swarm);
    const words = "select 1 from public.run_events where run_id = $1 and type = 'message.delta'";
    const lost = stage.relay.loseAnswerTo("agents-store-deltas");
    const node = stage.node({
      script: async function* (call) {
        yield { type: "start", framework: call.framework, model: "scripted", attempt: 1 };
        yield { type: "text", delta: "said " };
        // The first deltas are stored with the status of the turn.
        await until(async () => (await stage.rows(words, [runId])).length > 0, "the first words are stored");
        yield { type: "text", delta: "it " };
        await lost;
        yield* says(call, "once");
      },
    });
    await node.take(runId);
    assert.equal((await stage.end(runId)).stop_reason, "all_replied");
    const stored = await stage.rows<{ said: string }>(
      `select string_agg(piece.value, '' order by e.seq, piece.ordinality) as said from public.run_events e
       cross join lateral jsonb_array_elements_text(e.data -> 'deltas') with ordinality as piece where e.run_id = $1`,
      [runId],
    );
    assert.deepEqual(stored, [{ said: "said it once" }]);
  });
});

/** Waits until the node executes the run: an earlier cut could lose its start. */
async function findRunOn(node: RunNode, { swarmId }: NewSwarm): Promise<string> {
  let runId = "";
  await until(async () => {
    const [run] = await stage.rows<{ id: string }>("select id from public.runs where swarm_id = $1", [swarmId]);
    runId = run?.id ?? "";
    return node.streamHub.isHere(runId);
  }, "the node has the run");
  return runId;
}

describe("a client that waits for a run", () => {
  test("gets 503, not PROVIDER_ERROR, when the node is lost", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const node = stage.node({ script: (call) => hangs(call), executor: { times: { sweepMs: 50 } } });
    node.start();
    const waiting = ask(respondOn(node, { checkMs: 50, maxUncheckedMs: 60_000 }), swarm).catch(
      (error: unknown) => error,
    );
    const runId = await findRunOn(node, swarm);
    await stage.rows(
      "update private.run_leases set expires_at = now() - interval '1 second', fence = fence + 1, takeovers = 2 where run_id = $1",
      [runId],
    );
    const error = await waiting;
    assert.ok(error instanceof AppError);
    assert.deepEqual([error.status, error.code], [503, "SERVICE_UNAVAILABLE"]);
    const { run } = error.extra.members as { run: RunBody };
    assert.deepEqual([run.status, run.stop_reason], ["failed", "worker_lost"]);
    await node.stop();
  });

  test("gets 503, not 404, when the database stays unavailable", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const node = stage.node({ script: (call) => hangs(call) });
    node.start();
    const respond = respondOn(node, { checkMs: 50, maxUncheckedMs: 300 });
    const waiting = codeOf(ask(respond, swarm));
    const runId = await findRunOn(node, swarm);
    const principal = { role: "authenticated", userId: swarm.ownerId, claims: {}, session: null } as const;
    const attached = codeOf(respond.attach(principal, runId, LISTENING));
    await stage.relay.cut();
    try {
      assert.deepEqual(await Promise.all([waiting, attached]), ["SERVICE_UNAVAILABLE", "SERVICE_UNAVAILABLE"]);
      const steered = [respond.attach(principal, runId, LISTENING), respond.cancel(principal, runId, LISTENING.signal)];
      assert.deepEqual(await Promise.all(steered.map(codeOf)), ["SERVICE_UNAVAILABLE", "SERVICE_UNAVAILABLE"]);
    } finally {
      await stage.relay.restore();
    }
    await respond.cancel(principal, runId, LISTENING.signal);
    await stage.end(runId);
    await node.stop();
  });
});
