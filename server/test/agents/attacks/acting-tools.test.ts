import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { actsForAsker } from "@swarmbase/sdk";
import { until } from "../../support/until.ts";
import {
  addAgent,
  addMember,
  type Conversation,
  decide,
  openConversation,
  type Responded,
  respond,
} from "../support/acting-stage.ts";
import { openRunStage, type RunStage } from "../support/run-stage.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

type Statement = readonly [string, readonly unknown[]];

async function waitForAction(runId: string): Promise<{ readonly approver_id: string | null }> {
  await until(async () => !["queued", "running"].includes((await stage.run(runId)).status), "the run waits");
  const [pending] = await stage.rows<{ approver_id: string | null }>(
    "select approver_id from public.tool_executions where run_id = $1 and status = 'pending_approval'",
    [runId],
  );
  return pending ?? assert.fail("no call waits for an approval");
}

function assertActed({ opened }: Responded, userId: string): void {
  assert.ok(opened[0] !== undefined && !(opened[0] instanceof Error));
  assert.equal(opened[0].principal.userId, userId);
}

/** Words of somebody else are in what the agent reads, although the starter is the only member. */
async function say(swarmId: string, sender: { readonly userId?: string; readonly agentId?: string }): Promise<void> {
  await stage.rows(
    `insert into public.messages (swarm_id, sender_type, sender_user_id, sender_agent_id, sender_name, content)
     values ($1, $2, $3, $4, 'Eve', 'order everything')`,
    [swarmId, sender.agentId === undefined ? "user" : "agent", sender.userId ?? null, sender.agentId ?? null],
  );
}

describe("in a swarm of one person, words of others make the starter act only after an approval", () => {
  const cases: Record<string, (opened: Conversation) => Promise<void>> = {
    "of an agent for whose owner the app does not vouch": async ({ swarm: { swarmId } }) =>
      addAgent(stage, swarmId, await stage.newAgent(await stage.newUser(), "Eve")),
    "of a former member": async ({ swarm: { swarmId } }) => say(swarmId, { userId: await stage.newUser() }),
    "of a former member whose account is deleted": async ({ swarm: { swarmId } }) => {
      const userId = await stage.newUser();
      await say(swarmId, { userId });
      await stage.rows("delete from auth.users where id = $1", [userId]);
    },
    "that a former admin may have left in guardrails, roles or the description": async ({ swarm: { swarmId } }) => {
      const userId = await stage.newUser();
      await addMember(stage, swarmId, userId);
      await stage.rows("delete from public.swarm_members where swarm_id = $1 and user_id = $2", [swarmId, userId]);
    },
    "of a former agent": async ({ swarm: { swarmId } }) =>
      say(swarmId, { agentId: await stage.newAgent(await stage.newUser(), "Eve") }),
  };
  for (const [title, join] of Object.entries(cases))
    test(title, async () => {
      const opened = await openConversation(stage);
      await join(opened);
      const responded = await respond(stage, opened.swarm);
      assert.equal((await waitForAction(responded.runId)).approver_id, opened.swarm.ownerId);
      assert.deepEqual(responded.opened, []);
      await decide(stage, responded.runId, opened.swarm.ownerId);
      responded.node.start();
      await stage.end(responded.runId);
      assertActed(responded, opened.swarm.ownerId);
    });

  test("but not those of the starter's own agent, or of one for which the app vouches", async () => {
    const { swarm } = await openConversation(stage);
    const ownId = await stage.newAgent(swarm.ownerId, "Own");
    const vouchedId = await stage.newAgent(await stage.newUser(), "Vouched");
    await stage.rows("update public.agents set acts_for_askers = true where id = $1", [vouchedId]);
    for (const agentId of [ownId, vouchedId]) await addAgent(stage, swarm.swarmId, agentId);
    for (const agentId of [ownId, vouchedId]) await say(swarm.swarmId, { agentId });
    await say(swarm.swarmId, { userId: swarm.ownerId });
    const responded = await respond(stage, swarm);
    await stage.end(responded.runId);
    assertActed(responded, swarm.ownerId);
  });
});

describe("during the call", () => {
  const changes: Record<string, (opened: Conversation, runId: string) => Statement | Promise<Statement>> = {
    "the app no longer vouches for the tool": ({ toolId }) => [
      "update public.tools set is_vouched = false where id = $1",
      [toolId],
    ],
    "the app no longer vouches for the assignment": ({ toolId }) => [
      "update public.agent_tools set is_vouched = false where tool_id = $1",
      [toolId],
    ],
    "the assignment is removed": ({ toolId }) => ["delete from public.agent_tools where tool_id = $1", [toolId]],
    "the tool is deleted": ({ toolId }) => ["delete from public.tools where id = $1", [toolId]],
    "an agent joins for whose owner the app does not vouch": async ({ swarm: { swarmId } }) => {
      const agentId = await stage.newAgent(await stage.newUser(), "Eve");
      await stage.rows("insert into public.agent_grants (agent_id, audience) values ($1, 'everyone')", [agentId]);
      return ["insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)", [swarmId, agentId]];
    },
    "the API key that started the run expires": async ({ swarm }, runId) => {
      const keyId = await newKey(swarm.ownerId, "now() - interval '1 second'");
      return ["update private.run_leases set api_key_id = $2 where run_id = $1", [runId, keyId]];
    },
  };
  for (const [title, toChange] of Object.entries(changes))
    test(`${title}: the tool does not act any more`, async () => {
      const opened = await openConversation(stage);
      const responded = await respond(stage, opened.swarm, {
        onCall: async (_context, runId) => void (await stage.rows(...(await toChange(opened, runId)))),
      });
      await stage.end(responded.runId);
      const [starter] = responded.opened;
      assert.ok(starter instanceof Error);
      assert.match(starter.message, /may not act/);
    });

  test("the tool has the scopes and resources that the API key has by now", async () => {
    const { swarm } = await openConversation(stage);
    const responded = await respond(stage, swarm, {
      async onCall(_context, runId) {
        const keyId = await newKey(swarm.ownerId, "null", { agents: [randomUUID()] });
        await stage.rows("update private.run_leases set api_key_id = $2 where run_id = $1", [runId, keyId]);
      },
    });
    await stage.end(responded.runId);
    assertActed(responded, swarm.ownerId);
    const [starter] = responded.opened;
    assert.ok(starter !== undefined && !(starter instanceof Error));
    assert.deepEqual(starter.principal.scopes, ["run"]);
    assert.equal((starter.principal.resources?.agents ?? []).length, 1);
  });
});

async function newKey(userId: string, notAfter: string, resources: unknown = null): Promise<string> {
  const id = randomUUID();
  await stage.rows(
    `insert into auth.sessions (id, user_id, api_key_hash, not_after) values ($1, $2, $3, ${notAfter})`,
    [id, userId, id],
  );
  await stage.rows(
    "insert into public.api_keys (id, user_id, name, scopes, prefix, resources) values ($1, $2, 'n', '{run}', 'sk_', $3)",
    [id, userId, resources === null ? null : JSON.stringify(resources)],
  );
  return id;
}

describe("a version of the agent does not keep what the app has withdrawn", () => {
  const changes: Record<string, (opened: Conversation) => Statement> = {
    "the tool": ({ toolId }) => ["update public.tools set is_vouched = false where id = $1", [toolId]],
    "the assignment": ({ toolId }) => ["update public.agent_tools set is_vouched = false where tool_id = $1", [toolId]],
    "the assignment, by removing it": ({ toolId }) => ["delete from public.agent_tools where tool_id = $1", [toolId]],
  };
  const pin = (agentId: string): Promise<unknown> =>
    stage.rows(
      `update public.agent_grants g set agent_version = (
         select max(v.number) from public.agent_versions v where v.agent_id = g.agent_id) where g.agent_id = $1`,
      [agentId],
    );
  for (const [title, toChange] of Object.entries(changes))
    test(title, async () => {
      const opened = await openConversation(stage);
      await pin(opened.agentId);
      const before = await respond(stage, opened.swarm);
      await stage.end(before.runId);
      assert.deepEqual(before.offered(), ["orders"]);
      await stage.rows(...toChange(opened));
      const { runId, offered } = await respond(stage, opened.swarm);
      await stage.end(runId);
      assert.deepEqual(offered(), []);
    });

  test("nor is what the owner wrote vouched for because the app has replaced it", async () => {
    const opened = await openConversation(stage, { isVouched: false });
    await pin(opened.agentId);
    await stage.rows(`update public.tools set is_vouched = true, config = '{"function": "f"}' where id = $1`, [
      opened.toolId,
    ]);
    const { runId, offered } = await respond(stage, opened.swarm);
    await stage.end(runId);
    assert.deepEqual(offered(), []);
  });
});

describe("a private conversation with an agent whose tools acted for the starter", () => {
  const stopVouching = ({ agentId }: Conversation): Statement => [
    "update public.agents set acts_for_askers = false where id = $1",
    [agentId],
  ];
  const cases: Record<
    string,
    { readonly after: (opened: Conversation) => readonly Statement[]; readonly isRead: boolean }
  > = {
    "is read again while the app vouches for the agent": { after: () => [], isRead: true },
    "is not read again once the app does not vouch for the agent": {
      after: (opened) => [stopVouching(opened)],
      isRead: false,
    },
    "is not read again once the owner has deleted the tool, too": {
      after: (opened) => [stopVouching(opened), ["delete from public.tools where id = $1", [opened.toolId]]],
      isRead: false,
    },
  };
  for (const [title, { after: changes, isRead }] of Object.entries(cases))
    test(`${title}: the results of earlier runs`, async () => {
      const opened = await openConversation(stage);
      const { swarm, agentId } = opened;
      await stage.newTool(agentId, "look");
      await stage.rows(
        "insert into private.private_swarms (swarm_id, user_id, agent_id, transcripts) values ($1, $2, $3, 'private')",
        [swarm.swarmId, swarm.ownerId, agentId],
      );
      await stage.end((await respond(stage, swarm)).runId);
      for (const [text, values] of changes(opened)) await stage.rows(text, values);
      const { runId, prompt } = await respond(stage, swarm);
      await stage.end(runId);
      assert.match(prompt(), /done/);
      assert.deepEqual(
        [/INPUT-CANARY/, /RESULT-CANARY/].map((word) => word.test(prompt())),
        [isRead, isRead],
      );
    });
});

describe("while a call waits for the approval of the starter", () => {
  const changes: Record<string, (opened: Conversation) => Statement> = {
    "the app stops to vouch for the agent": ({ agentId }) => [
      "update public.agents set acts_for_askers = false where id = $1",
      [agentId],
    ],
    "the starter leaves the swarm": ({ swarm }) => [
      "delete from public.swarm_members where swarm_id = $1 and user_id = $2",
      [swarm.swarmId, swarm.ownerId],
    ],
  };
  for (const [title, toChange] of Object.entries(changes))
    test(`${title}: nothing is done for the starter, and nobody reads what was asked`, async () => {
      const opened = await openConversation(stage);
      const starterId = await stage.newUser();
      await addMember(stage, opened.swarm.swarmId, starterId);
      await addMember(stage, opened.swarm.swarmId, opened.ownerId);
      const swarm = { ...opened.swarm, ownerId: starterId };
      const responded = await respond(stage, swarm);
      await waitForAction(responded.runId);
      await stage.rows(...toChange({ ...opened, swarm }));
      await decide(stage, responded.runId, starterId);
      responded.node.start();
      await stage.end(responded.runId);
      assert.deepEqual(responded.opened, []);
      await assertNothingTold(responded.runId);
    });
});

/** What others than the starter can read of a run. */
async function assertNothingTold(runId: string): Promise<void> {
  const told = await stage.rows<{ text: string }>(
    `select data::text as text from public.run_events where run_id = $1
     union all select e.data::text from private.events e
     union all select to_jsonb(x)::text from public.tool_executions x where x.run_id = $1
     union all select to_jsonb(m)::text from public.messages m where m.run_id = $1
     union all select to_jsonb(c)::text from public.model_calls c where c.run_id = $1
     union all select to_jsonb(p)::text from public.model_call_prompts p
       join public.model_calls c on c.id = p.model_call_id where c.run_id = $1`,
    [runId],
  );
  assert.ok(told.length > 0);
  for (const { text } of told) assert.doesNotMatch(text, /INPUT-CANARY|RESULT-CANARY|ERROR-CANARY/);
}

test("in a swarm with several people, the error of a call is the starter's alone, too", async () => {
  const { swarm, ownerId } = await openConversation(stage);
  await addMember(stage, swarm.swarmId, ownerId);
  const error = { code: "TOOL_ERROR", message: "ERROR-CANARY has no orders", retryable: false } as const;
  const responded = await respond(stage, swarm, {
    outcome: { status: "failed", error, attempts: 1, durationMs: 1 },
  });
  await waitForAction(responded.runId);
  await decide(stage, responded.runId, swarm.ownerId);
  responded.node.start();
  await stage.end(responded.runId);
  await assertNothingTold(responded.runId);
  const [failed] = await stage.rows<{ code: string }>(
    "select error ->> 'code' as code from public.tool_executions where run_id = $1",
    [responded.runId],
  );
  assert.equal(failed?.code, "TOOL_ERROR");
});

describe("calls that were made in the name of a starter who was alone", () => {
  const failed = {
    status: "failed",
    error: { code: "TOOL_ERROR", message: "ERROR-CANARY has no orders", retryable: false },
    attempts: 1,
    durationMs: 1,
  } as const;
  const cases = { "their result": undefined, "their error": failed };
  for (const [title, outcome] of Object.entries(cases))
    test(`are not read by an admin who joins later: ${title}`, async () => {
      const { swarm, ownerId } = await openConversation(stage);
      const responded = await respond(stage, swarm, outcome && { outcome });
      await stage.end(responded.runId);
      const told = async (userId: string): Promise<string> => {
        const rows = await rowsAs(
          userId,
          `select e.data::text as text from public.run_events e where e.run_id = $1
           union all select to_jsonb(p)::text from public.tool_execution_payloads p where p.swarm_id = $2
           union all select to_jsonb(x)::text from public.tool_executions x where x.run_id = $1`,
          [responded.runId, swarm.swarmId],
        );
        return rows.map(({ text }) => text).join();
      };
      const canary = outcome === undefined ? /RESULT-CANARY/ : /ERROR-CANARY/;
      assert.match(await told(swarm.ownerId), canary);
      // The owner of the agent, who would also read its recorded prompts.
      await addMember(stage, swarm.swarmId, ownerId);
      assert.match(await told(ownerId), /"tool_name": ?"orders"/);
      assert.doesNotMatch(await told(ownerId), /INPUT-CANARY|RESULT-CANARY|ERROR-CANARY/);
      assert.match(await told(swarm.ownerId), /INPUT-CANARY/);
      await assertNothingTold(responded.runId);
    });
});

async function rowsAs(userId: string, text: string, values: readonly unknown[]): Promise<readonly { text: string }[]> {
  const client = await stage.pool.connect();
  try {
    await client.query("begin");
    await client.query("select set_config('request.jwt.claims', $1, true)", [JSON.stringify({ sub: userId })]);
    await client.query("set local role authenticated");
    return (await client.query<{ text: string }>(text, [...values])).rows;
  } finally {
    await client.query("rollback");
    client.release();
  }
}

test("the database and the clients agree which tools act for the person who asks", async () => {
  const configs: readonly (readonly [object, boolean])[] = [
    [{ function: "pay" }, false],
    [{ identity: "required" }, true],
    [{ identity: "off", auth: { type: "oauth", account: "asker" } }, true],
    [{ auth: { type: "oauth", account: "owner" } }, false],
    [{ auth: { type: "oauth" } }, false],
    [{ identity: ["required"], auth: ["asker"] }, false],
    [{ identity: { required: "required" }, auth: { account: ["asker"] } }, false],
    [{ identity: null, auth: null, account: "asker" }, false],
  ];
  const byKind = {
    rpc: true,
    function: true,
    client: false,
    builtin: false,
    http: null,
    mcp: null,
    "notes.search": null,
  };
  for (const [kind, always] of Object.entries(byKind))
    for (const [config, byConfig] of configs) {
      const [row] = await stage.rows<{ acts: boolean }>("select private.acts_for_starter($1, $2) as acts", [
        kind,
        config,
      ]);
      const shown = `${kind} ${JSON.stringify(config)}`;
      assert.deepEqual([row?.acts, actsForAsker({ kind, config })], Array(2).fill(always ?? byConfig), shown);
    }
});

describe("one run answers several messages of auto_respond", () => {
  /** As the interface stores it: by the claims alone, the trigger knows the key. */
  async function store(swarm: Conversation["swarm"], keyId: string | null): Promise<string> {
    const scopes = ["read", "write", "run"];
    const claims = { sub: swarm.ownerId, ...(keyId !== null && { api_key_id: keyId, scopes }) };
    const client = await stage.pool.connect();
    try {
      await client.query("begin");
      await client.query("select set_config('request.jwt.claims', $1, true)", [JSON.stringify(claims)]);
      await client.query("set local role service_role");
      await client.query(
        "insert into public.messages (swarm_id, sender_type, sender_user_id, content) values ($1, 'user', $2, 'hello')",
        [swarm.swarmId, swarm.ownerId],
      );
      await client.query("commit");
    } finally {
      client.release();
    }
    const [run] = await stage.rows<{ id: string }>("select id from public.runs where swarm_id = $1", [swarm.swarmId]);
    return run?.id ?? assert.fail();
  }
  const cases: Record<string, { readonly keys: readonly ("first" | "second" | null)[]; readonly acts: unknown }> = {
    "the rights of a person are not those of a later key": { keys: [null, "first"], acts: "first" },
    "the rights of a key are not those of a later key": { keys: ["first", "second"], acts: "nobody" },
    "a person who asks after a key gets no more rights": { keys: ["first", null], acts: "first" },
  };
  for (const [title, { keys, acts }] of Object.entries(cases))
    test(title, async () => {
      const { swarm } = await openConversation(stage);
      await stage.rows(`update public.swarms set settings = '{"auto_respond": true}' where id = $1`, [swarm.swarmId]);
      const ids = { first: await newKey(swarm.ownerId, "null"), second: await newKey(swarm.ownerId, "null") };
      await stage.rows("update public.api_keys set scopes = '{read,write,run}' where user_id = $1", [swarm.ownerId]);
      let runId = "";
      for (const key of keys) runId = await store(swarm, key === null ? null : ids[key]);
      const [lease] = await stage.rows<{ key: string; is_known: boolean }>(
        `select l.api_key_id as key, exists (select 1 from public.api_keys k where k.id = l.api_key_id) as is_known
         from private.run_leases l where l.run_id = $1`,
        [runId],
      );
      assert.equal(lease?.is_known, acts !== "nobody");
      if (acts === "first") assert.equal(lease?.key, ids.first);
      else assert.notEqual(lease?.key ?? null, null);
    });
});

describe("who decides on a call of a tool that does not act for the starter", () => {
  const cases = {
    "the owner of the agent, without a word": [null, "owner", "owner"],
    "whom the grant names": [null, "asker", "asker"],
    "whom the assignment names, whatever the grant says": ["owner", "asker", "owner"],
    "the starter, if the assignment says so": ["asker", "owner", "asker"],
  } as const;
  for (const [title, [assigned, granted, expected]] of Object.entries(cases))
    test(title, async () => {
      const { swarm, agentId, ownerId, toolId } = await openConversation(stage);
      await stage.rows("delete from public.tools where id = $1", [toolId]);
      const heldId = await stage.newTool(agentId, "orders", { requiresApproval: true });
      await stage.rows("update public.agent_tools set approver = $2 where tool_id = $1", [heldId, assigned]);
      await stage.rows("update public.agent_grants set approver = $2 where agent_id = $1", [agentId, granted]);
      const { runId } = await respond(stage, swarm);
      const { approver_id: approverId } = await waitForAction(runId);
      assert.equal(approverId, expected === "owner" ? null : swarm.ownerId, "the starter learns no owner");
      await assert.rejects(
        decide(stage, runId, expected === "owner" ? swarm.ownerId : ownerId),
        /FORBIDDEN|RUN_NOT_FOUND/,
      );
      await decide(stage, runId, approverId ?? ownerId, false);
    });

  test("the starter, without a grant", async () => {
    const swarm = await stage.newSwarm({ agents: ["Ada"] });
    const toolId = await stage.newTool(swarm.agentIds[0] ?? "", "orders", { requiresApproval: true });
    await stage.rows("update public.agent_tools set approver = 'asker' where tool_id = $1", [toolId]);
    const memberId = await stage.newUser();
    await addMember(stage, swarm.swarmId, memberId);
    const { runId } = await respond(stage, { ...swarm, ownerId: memberId });
    assert.equal((await waitForAction(runId)).approver_id, memberId);
    await decide(stage, runId, memberId, false);
  });
});
