import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { admitRuns } from "../../../src/agents/admission/sql/admit-runs.ts";
import type { ToolCallContext } from "../../../src/agents/tools/tool-port.ts";
import { addMember, decide, openConversation } from "../support/acting-stage.ts";
import { callTo, NODE } from "../support/run-calls.ts";
import { calls, hangs, openRunStage, type RunNode, type RunStage, says, succeeded } from "../support/run-stage.ts";
import { until } from "../../support/until.ts";

/** When it resolves, nodes that were presumed dead continue and find that they have lost their runs. */
const revival = Promise.withResolvers<void>();
let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  revival.resolve();
  for (const close of closers.reverse()) await close();
});

/** Has the agent call `orders` once. */
function actingNode({ isDying = false, note }: { isDying?: boolean; note(call: object): void }): RunNode {
  const open = async ({ executionId, starter }: ToolCallContext): Promise<void> => {
    const opened = await starter?.open();
    note({ executionId, userId: opened?.principal.userId, scopes: opened?.principal.scopes });
  };
  return stage.node({
    script(call) {
      const last = call.messages.at(-1);
      if (last?.role !== "tool") return calls(call, { name: "orders" });
      return isDying ? hangs(call, "half an answer") : says(call, last.output);
    },
    tools: {
      async run(_tool, _input, context) {
        await open(context);
        if (isDying) await revival.promise;
        return succeeded("done");
      },
    },
  });
}

describe("a call that acts for the starter, whose run is taken over twice,", () => {
  for (const isIdempotent of [true, false])
    test(`is ${isIdempotent ? "repeated with the same id for the same person" : "not repeated, because its tool is not idempotent"}`, async () => {
      const { swarm, toolId } = await openConversation(stage);
      await stage.rows("update public.tools set idempotent = $2 where id = $1", [toolId, isIdempotent]);
      await stage.rows("update public.tools set is_vouched = true where id = $1", [toolId]);
      const runId = await stage.ask(swarm);
      const made: object[] = [];
      const next = (isDying: boolean): RunNode => actingNode({ isDying, note: (call) => void made.push(call) });
      await next(true).take(runId);
      await until(() => made.length === 1, "the tool works");
      for (const isDying of [true, false]) {
        await stage.rows("update private.run_leases set expires_at = now() - interval '1 second' where run_id = $1", [
          runId,
        ]);
        const rivals = await Promise.allSettled([next(isDying), next(isDying)].map((node) => node.take(runId)));
        assert.deepEqual(rivals.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
        if (!isDying) break;
        const text = "select 1 from public.run_turns where run_id = $1 and status = 'responding'";
        await until(async () => made.length === 2 || (await stage.rows(text, [runId])).length === 1, "it goes on");
      }
      assert.equal((await stage.end(runId)).status, "completed");
      const executions = await stage.rows<{ id: string; status: string }>(
        "select id, status from public.tool_executions where run_id = $1",
        [runId],
      );
      const [{ id: executionId } = { id: "" }] = executions;
      const call = { executionId, userId: swarm.ownerId, scopes: undefined };
      assert.deepEqual(made, isIdempotent ? [call, call, call] : [call]);
      assert.deepEqual(executions, [{ id: executionId, status: isIdempotent ? "succeeded" : "failed" }]);
      const [{ content } = { content: "" }] = await stage.texts(runId);
      assert.match(content, isIdempotent ? /^done$/ : /TOOL_OUTCOME_UNKNOWN/);
    });
});

describe("the starter of a run that answers a message again is who asks for it", () => {
  for (const isService of [false, true])
    test(isService ? "and whom the service role names" : "with no more than the rights of that call", async () => {
      const { swarm, agentId, ownerId } = await openConversation(stage);
      const starter = await stage.newUser();
      for (const userId of [ownerId, starter]) await addMember(stage, swarm.swarmId, userId);
      const own = { swarmId: swarm.swarmId, ownerId: starter, agentIds: [agentId] };
      const first = await stage.ask(own);
      await stage.node({ script: (call) => says(call, "Hello.") }).take(first);
      await stage.end(first);
      const keyId = await newKey(starter);
      const [sent] = await stage.rows<{ message_id: string }>("select message_id from public.runs where id = $1", [
        first,
      ]);
      const again = callTo(own, {
        regenerates: sent?.message_id ?? "",
        is_service: isService,
        api_key_id: isService ? null : keyId,
        has_place: false,
      });
      const [admitted] = await admitRuns(stage.pool, [{ ...again, first_turn: null }], NODE);
      assert.ok(admitted !== null && admitted !== undefined && "run_id" in admitted, JSON.stringify(admitted));
      const made: object[] = [];
      const node = actingNode({ note: (call) => void made.push(call) });
      await node.take(again.run_id);
      await until(async () => (await stage.run(again.run_id)).status === "requires_action", "the call waits");
      for (const userId of [swarm.ownerId, ownerId])
        await assert.rejects(decide(stage, again.run_id, userId), /FORBIDDEN/);
      await decide(stage, again.run_id, starter);
      node.start();
      assert.equal((await stage.end(again.run_id)).status, "completed");
      const [call] = await stage.rows<{ id: string }>("select id from public.tool_executions where run_id = $1", [
        again.run_id,
      ]);
      assert.deepEqual(made, [{ executionId: call?.id, userId: starter, scopes: isService ? undefined : ["run"] }]);
    });
});

async function newKey(userId: string): Promise<string> {
  const [key] = await stage.rows<{ id: string }>(
    "insert into auth.sessions (user_id, api_key_hash) values ($1, $2) returning id",
    [userId, userId],
  );
  await stage.rows(
    "insert into public.api_keys (id, user_id, name, scopes, prefix) values ($1, $2, 'key', '{run}', 'sk_x')",
    [key?.id, userId],
  );
  return key?.id ?? "";
}
