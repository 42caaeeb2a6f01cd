import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { calls, lastRole, openRunStage, type RunStage, says, succeeded } from "../support/run-stage.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

/** A swarm of an asker with an agent of somebody else, which has a tool. */
async function openConversation() {
  const ownerId = await stage.newUser();
  const agentId = await stage.newAgent(ownerId, "Ada");
  await stage.newTool(agentId, "look");
  const swarm = await stage.newSwarm({ agents: [] });
  const [grant] = await stage.rows<{ id: string }>(
    `insert into public.agent_grants (agent_id, audience, user_id, accepted_at) values ($1, 'user', $2, now()) returning id`,
    [agentId, swarm.ownerId],
  );
  await stage.rows("insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)", [swarm.swarmId, agentId]);
  return { swarm, agentId, grantId: grant?.id ?? "" };
}

describe("a grant that ends while a tool of its turn works", () => {
  const ends: Record<string, (opened: Awaited<ReturnType<typeof openConversation>>) => [string, string]> = {
    "is withdrawn": ({ grantId }) => ["delete from public.agent_grants where id = $1", grantId],
    expires: ({ grantId }) => ["update public.agent_grants set expires_at = now() where id = $1", grantId],
    blocks: ({ grantId }) => ["update public.agent_grants set runs_per_day = 0 where id = $1", grantId],
    "is of an account that is banned": ({ swarm }) => [
      "update auth.users set banned_until = now() + interval '1 day' where id = $1",
      swarm.ownerId,
    ],
  };
  for (const [title, toEnd] of Object.entries(ends))
    test(`${title}: the turn ends without an answer, and its rows stay hidden`, async () => {
      const opened = await openConversation();
      let modelCalls = 0;
      const node = stage.node({
        script: async function* (call) {
          modelCalls += 1;
          yield* lastRole(call) === "tool" ? says(call, "too late") : calls(call, { name: "look" });
        },
        tools: {
          async run() {
            const [text, id] = toEnd(opened);
            await stage.rows(text, [id]);
            return {
              status: "succeeded",
              text: "seen",
              output: "seen",
              durationMs: 1,
              attempts: 1,
              isTruncated: false,
            };
          },
        } as never,
      });
      const runId = await stage.ask(opened.swarm);
      await node.take(runId);
      await stage.end(runId);
      assert.deepEqual([await stage.texts(runId), modelCalls], [[], 1]);
      const hidden = await stage.rows<{ grant_id: string | null }>(
        `select grant_id from public.model_calls where run_id = $1
         union all select grant_id from public.run_turns where run_id = $1`,
        [runId],
      );
      assert.ok(hidden.length >= 2);
      assert.deepEqual(
        hidden.filter(({ grant_id: id }) => id === null),
        [],
      );
    });
});

test("an agent that is added to a swarm whose run waits gets neither the schema nor, unless its grant says so, the tools of the call", async () => {
  const swarm = await stage.newSwarm({ agents: ["Own"] });
  const tool = { name: "locate", description: "Locates.", input_schema: { type: "object", properties: {} } };
  const request = { client_tools: [tool], response_schema: { type: "object" } };
  const runId = await stage.ask(swarm, "hello", request);
  for (const [name, accepts] of [
    ["Closed", false],
    ["Open", true],
  ] as const) {
    const agentId = await stage.newAgent(await stage.newUser(), name);
    await stage.rows(
      "insert into public.agent_grants (agent_id, audience, accepts_client_tools) values ($1, 'everyone', $2)",
      [agentId, accepts],
    );
    await stage.rows("insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)", [swarm.swarmId, agentId]);
  }
  const got = new Map<string, readonly unknown[]>();
  const node = stage.node({
    script: async function* (call) {
      got.set(call.agent.name, [...call.tools.map(({ name }) => name), call.settings["response_schema"] !== undefined]);
      yield* says(call, "{}");
    },
  });
  await node.take(runId);
  await stage.end(runId);
  assert.deepEqual(Object.fromEntries(got), { Own: ["locate", true], Closed: [false], Open: ["locate", false] });
});

test("the cost that a grant allows for a day is exceeded by calls in progress, and by nothing else", async () => {
  const opened = await openConversation();
  const { grantId, agentId } = opened;
  // Nobody has begun a run today: those that go on were admitted before midnight.
  await stage.rows("update public.agent_grants set total_cost_per_day = 0.001 where id = $1", [grantId]);
  const ids: string[] = [];
  for (const rounds of [3, 1]) {
    const { swarmId, ownerId } = opened.swarm;
    await stage.rows("update public.swarms set settings = $2 where id = $1", [swarmId, { max_rounds: rounds }]);
    const before = await stage.rows<{ id: string }>("select id from public.model_calls where agent_id = $1", [agentId]);
    const node = stage.node({ script: (call) => says(call, "It is so."), price: 1 });
    const runId = await stage.ask({ swarmId, ownerId });
    await node.take(runId);
    const { stop_reason: reason } = await stage.end(runId);
    const after = await stage.rows<{ id: string }>("select id from public.model_calls where agent_id = $1", [agentId]);
    ids.push(`${after.length - before.length} ${reason}`);
  }
  assert.deepEqual(ids, ["1 budget_exceeded", "0 budget_exceeded"]);
  const reserved = await stage.rows(
    "select 1 from private.budget_reservations b join public.runs r on r.id = b.run_id where r.swarm_id = $1",
    [opened.swarm.swarmId],
  );
  assert.deepEqual(reserved, []);
});

for (const limit of ["cost_per_day", "total_cost_per_day"])
  test(`${limit} of a grant ends a turn that never stops to call models, and lets no run begin meanwhile`, async () => {
    const { swarm, grantId } = await openConversation();
    const sibling = await stage.newUser();
    await stage.rows(`update public.agent_grants set ${limit} = 0.02 where id = $1`, [grantId]);
    const rejections: unknown[] = [];
    let modelCalls = 0;
    const node = stage.node({
      // Each call costs USD 0.015.
      price: 1,
      script: (call) => {
        modelCalls += 1;
        return calls(call, { name: "look" });
      },
      tools: {
        async run() {
          for (const userId of [swarm.ownerId, sibling]) {
            const charge = "select private.charge_each_grant(array[$1::uuid], $2) ->> 'code' as code";
            rejections.push((await stage.rows<{ code: string }>(charge, [grantId, userId]))[0]?.code);
          }
          return succeeded("seen");
        },
      },
    });
    const runId = await stage.ask(swarm);
    await node.take(runId);
    assert.equal((await stage.end(runId)).stop_reason, "budget_exceeded");
    assert.equal(modelCalls, 2);
    const isOwn = limit === "cost_per_day";
    const spent = isOwn ? ["RATE_LIMITED", null] : ["BUDGET_EXCEEDED", "BUDGET_EXCEEDED"];
    assert.deepEqual(rejections, [null, null, ...spent]);
    const used = "select sum(cost_usd)::float8 as cost from private.grant_usage where grant_id = $1";
    assert.deepEqual(await stage.rows(used, [grantId]), [{ cost: 0.03 }]);
  });

test("a cost is counted for a grant that limits costs, and for no other", async () => {
  const { swarm, grantId } = await openConversation();
  const add = (): Promise<unknown> => stage.rows("select private.add_grant_cost($1, $2, 1)", [grantId, swarm.ownerId]);
  await stage.rows("update public.agent_grants set runs_per_day = 5 where id = $1", [grantId]);
  await add();
  assert.deepEqual(await stage.rows("select 1 from private.grant_usage where grant_id = $1", [grantId]), []);
  await stage.rows("delete from public.agent_grants where id = $1", [grantId]);
  await add();
});

test("fifty new accounts that ask at the same time get exactly the total of the grant", async () => {
  const ownerId = await stage.newUser();
  const agentId = await stage.newAgent(ownerId, "Ada");
  const [grant] = await stage.rows<{ id: string }>(
    `insert into public.agent_grants (agent_id, audience, total_runs_per_day) values ($1, 'everyone', 20) returning id`,
    [agentId],
  );
  const clients = await Promise.all(Array.from({ length: 10 }, () => stage.connect()));
  const answers: (string | null)[] = [];
  await Promise.all(
    clients.map(async (client) => {
      for (let asker = 0; asker < 5; asker += 1) {
        const { rows } = await client.query<{ code: string | null }>(
          "select private.charge_grant($1, gen_random_uuid()) ->> 'code' as code",
          [grant?.id],
        );
        answers.push(rows[0]?.code ?? null);
      }
    }),
  );
  assert.equal(answers.filter((code) => code === null).length, 20);
  assert.deepEqual(new Set(answers), new Set([null, "BUDGET_EXCEEDED"]));
});
