import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { calls, lastRole, openRunStage, type RunStage, says } from "../support/run-stage.ts";

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
