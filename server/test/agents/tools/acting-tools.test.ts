import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { until } from "../../support/until.ts";
import { addMember, type Conversation, decide, openConversation, respond } from "../support/acting-stage.ts";
import { openRunStage, type RunStage } from "../support/run-stage.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

describe("who may use a tool that acts for the starter", () => {
  const cases = {
    "everybody who holds a grant, if the app vouches for agent, tool and assignment": [{}, true],
    "not others than the owner, if the app does not vouch for the agent": [{ actsForAskers: false }, false],
    "not others than the owner, if the app has not made the tool": [{ isVouched: false }, false],
    "not others than the owner, if the app has not assigned the tool": [{ isAssignmentVouched: false }, false],
  } as const;
  for (const [title, [options, isOffered]] of Object.entries(cases))
    test(title, async () => {
      const { swarm } = await openConversation(stage, options);
      const { runId, offered, opened } = await respond(stage, swarm);
      await stage.end(runId);
      assert.deepEqual(offered(), isOffered ? ["orders"] : []);
      const [starter] = opened;
      if (!isOffered) return assert.equal(starter, undefined);
      assert.ok(starter !== undefined && !(starter instanceof Error));
      assert.equal(starter.principal.userId, swarm.ownerId);
      assert.equal(starter.principal.claims["sub"], swarm.ownerId);
      assert.equal(Object.hasOwn(starter.principal.claims, "session_id"), false);
      assert.equal(starter.call?.runId, runId);
    });

  test("the owner, who made tool and assignment", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    await stage.newTool(swarm.agentIds[0] ?? "", "orders", { kind: "rpc" });
    const { runId, opened } = await respond(stage, swarm);
    await stage.end(runId);
    assert.ok(opened[0] !== undefined && !(opened[0] instanceof Error));
    assert.equal(opened[0].principal.userId, swarm.ownerId);
  });

  test("nobody through the agent of another member who shares a tool of theirs", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const makerId = await stage.newUser();
    const makerAgentId = await stage.newAgent(makerId, "Ben");
    const toolId = await stage.newTool(makerAgentId, "orders", { kind: "rpc" });
    await stage.rows("update public.tools set visibility = 'shared' where id = $1", [toolId]);
    await stage.rows("insert into public.agent_tools (agent_id, tool_id) values ($1, $2)", [swarm.agentIds[0], toolId]);
    await addMember(stage, swarm.swarmId, makerId);
    for (const starterId of [swarm.ownerId, makerId]) {
      const { runId, offered } = await respond(stage, { ...swarm, ownerId: starterId });
      await stage.end(runId);
      assert.deepEqual(offered(), []);
    }
  });
});

describe("during the call", () => {
  const changes: Record<string, (opened: Conversation, runId: string) => readonly [string, readonly unknown[]]> = {
    "the app no longer vouches for the agent": ({ agentId }) => [
      "update public.agents set acts_for_askers = false where id = $1",
      [agentId],
    ],
    "the grant is withdrawn": ({ agentId }) => ["delete from public.agent_grants where agent_id = $1", [agentId]],
    "the starter is banned": ({ swarm }) => [
      "update auth.users set banned_until = now() + interval '1 day' where id = $1",
      [swarm.ownerId],
    ],
    "the account of the starter is deleted": ({ swarm }) => [
      "update auth.users set deleted_at = now() where id = $1",
      [swarm.ownerId],
    ],
    "the API key that started the run is revoked": (_opened, runId) => [
      "update private.run_leases set api_key_id = $2 where run_id = $1",
      [runId, randomUUID()],
    ],
    "somebody else joins the swarm": ({ swarm, ownerId }) => [
      "insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, 'admin', 'active')",
      [swarm.swarmId, ownerId],
    ],
  };
  for (const [title, toChange] of Object.entries(changes))
    test(`${title}: the tool does not act any more`, async () => {
      const opened = await openConversation(stage);
      const responded = await respond(stage, opened.swarm, {
        onCall: async (_context, runId) => void (await stage.rows(...toChange(opened, runId))),
      });
      await stage.end(responded.runId);
      const [starter] = responded.opened;
      assert.ok(starter instanceof Error);
      assert.match(starter.message, /may not act/);
    });

  test("the assurance level is that of the start while the session lives, then aal1", async () => {
    const { swarm } = await openConversation(stage);
    const [session] = await stage.rows<{ id: string }>(
      "insert into auth.sessions (user_id, aal, refresh_key_wrapped) values ($1, 'aal2', '') returning id",
      [swarm.ownerId],
    );
    const levels: unknown[] = [];
    const { runId, opened } = await respond(stage, swarm, {
      async onCall(context, started) {
        const set = "update private.run_leases set session_id = $2, aal = 'aal2' where run_id = $1";
        await stage.rows(set, [started, session?.id]);
        levels.push((await context.starter?.open())?.principal.claims["aal"]);
        await stage.rows("delete from auth.sessions where id = $1", [session?.id]);
      },
    });
    await stage.end(runId);
    assert.ok(opened[0] !== undefined && !(opened[0] instanceof Error));
    assert.deepEqual([...levels, opened[0].principal.claims["aal"]], ["aal2", "aal1"]);
  });
});

test("in a swarm with several people the starter approves each call, and alone sees its arguments and result", async () => {
  const { swarm, ownerId } = await openConversation(stage);
  const others = [ownerId, await stage.newUser()];
  for (const userId of others) await addMember(stage, swarm.swarmId, userId);
  const { runId, node, opened } = await respond(stage, swarm);
  await until(async () => (await stage.run(runId)).status === "requires_action");
  const [pending] = await stage.rows<{ id: string; approver_id: string }>(
    "select id, approver_id from public.tool_executions where run_id = $1",
    [runId],
  );
  assert.equal(pending?.approver_id, swarm.ownerId);
  const bodies = async (viewerId: string): Promise<string> => {
    const [row] = await stage.rows<{ body: object }>("select private.render_run($1, $2, false) as body", [
      runId,
      viewerId,
    ]);
    return JSON.stringify(row?.body);
  };
  assert.match(await bodies(swarm.ownerId), /INPUT-CANARY/);
  for (const userId of others) assert.doesNotMatch(await bodies(userId), /INPUT-CANARY/);

  for (const userId of others) await assert.rejects(decide(stage, runId, userId), /FORBIDDEN/);
  await decide(stage, runId, swarm.ownerId);
  node.start();
  await stage.end(runId);
  assert.ok(opened[0] !== undefined && !(opened[0] instanceof Error));
  const everything = await stage.rows<{ text: string }>(
    `select data::text as text from public.run_events where run_id = $1
     union all select data::text from private.events
     union all select to_jsonb(c)::text from public.model_calls c where c.run_id = $1
     union all select to_jsonb(p)::text from public.model_call_prompts p
       join public.model_calls c on c.id = p.model_call_id where c.run_id = $1`,
    [runId],
  );
  for (const { text } of everything) assert.doesNotMatch(text, /INPUT-CANARY|RESULT-CANARY/);
  const readers = await stage.rows<{ private_to: string }>(
    "select p.private_to from public.tool_execution_payloads p where p.tool_execution_id = $1",
    [pending?.id],
  );
  assert.deepEqual(readers, [{ private_to: swarm.ownerId }]);
});
