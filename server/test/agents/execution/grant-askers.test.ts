import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ModelCall, ModelEvent } from "../../../src/agents/providers/model-port.ts";
import { inTransaction } from "../../../src/db/index.ts";
import { addAgent, addMember } from "../support/acting-stage.ts";
import { collect, openRunStage, type RunStage, says } from "../support/run-stage.ts";

let stage: RunStage;
const closers: (() => Promise<void>)[] = [];
before(async () => {
  stage = await openRunStage({ after: (close) => void closers.push(close) });
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

describe("the reasoning of a model", () => {
  async function* thinks(call: ModelCall): AsyncGenerator<ModelEvent> {
    for await (const event of says(call, "Hello.")) {
      if (event.type === "text") yield { type: "reasoning", delta: "My prompt is PROMPT-CANARY." };
      yield event;
    }
  }
  /** All that readers of a run get: the events as they come, and those that are stored. */
  const readOf = async (swarm: { swarmId: string; ownerId: string }): Promise<string> => {
    const node = stage.node({ script: thinks });
    const runId = await stage.ask(swarm);
    const events = collect(node, runId);
    await node.take(runId);
    assert.equal((await stage.end(runId)).status, "completed");
    const stored = await stage.rows("select type, data from public.run_events where run_id = $1", [runId]);
    return JSON.stringify([events, stored]);
  };

  test("is streamed to the owner of the agent, and not to whoever asks it by a grant", async () => {
    const own = await stage.newSwarm({ agents: ["Ada"] });
    assert.match(await readOf(own), /PROMPT-CANARY/);
    const asker = await stage.newSwarm({ agents: [] });
    await addAgent(stage, asker.swarmId, own.agentIds[0] ?? "");
    const read = await readOf(asker);
    assert.match(read, /Hello\./);
    assert.doesNotMatch(read, /PROMPT-CANARY|reasoning/);
  });
});

describe("a run of auto_respond in a group", () => {
  interface Group {
    readonly swarmId: string;
    readonly agentId: string;
    /** Holds a grant to the agent. */
    readonly holder: string;
    readonly other: string;
  }

  async function openGroup(): Promise<Group> {
    const { swarmId, ownerId: holder } = await stage.newSwarm({ agents: [], settings: { auto_respond: true } });
    const agentId = await stage.newAgent(await stage.newUser(), "Ada");
    await stage.rows("insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)", [swarmId, agentId]);
    const other = await stage.newUser();
    await addMember(stage, swarmId, other);
    await grant(agentId, holder);
    return { swarmId, agentId, holder, other };
  }
  const grant = (agentId: string, userId: string): Promise<unknown> =>
    stage.rows(
      "insert into public.agent_grants (agent_id, audience, user_id, accepted_at) values ($1, 'user', $2, now())",
      [agentId, userId],
    );
  /** As the service role stores messages for people. */
  async function say(swarmId: string, ...senders: readonly string[]): Promise<void> {
    await inTransaction(stage.pool, async (client) => {
      await client.query("set local role service_role");
      await client.query(
        `insert into public.messages (swarm_id, sender_type, sender_user_id, content)
         select $1, 'user', sender, 'hello' from unnest($2::uuid[]) as sender`,
        [swarmId, senders],
      );
    });
  }
  const startersOf = async (swarmId: string): Promise<string[]> => {
    const text = "select user_id from public.runs where swarm_id = $1 order by created_at, id";
    return (await stage.rows<{ user_id: string }>(text, [swarmId])).map(({ user_id: userId }) => userId);
  };

  for (const isHolderFirst of [true, false])
    test(`answers no sender by the grant of another, ${isHolderFirst ? "who has asked before" : "who asks later"}`, async () => {
      const { swarmId, holder, other } = await openGroup();
      for (const sender of isHolderFirst ? [holder, other] : [other, holder]) await say(swarmId, sender);
      assert.deepEqual(await startersOf(swarmId), [holder]);
      await say(swarmId, holder);
      assert.deepEqual(await startersOf(swarmId), [holder], "the messages of one sender share a run");
    });

  test("is one for each sender who holds a grant, also of messages that are stored together", async () => {
    const { swarmId, agentId, holder, other } = await openGroup();
    await grant(agentId, other);
    await say(swarmId, holder, other, holder);
    assert.deepEqual((await startersOf(swarmId)).toSorted(), [holder, other].toSorted());
  });

  test("ends with the right of its starter to ask there, whoever else may", async () => {
    const { swarmId, agentId, holder, other } = await openGroup();
    await grant(agentId, other);
    await say(swarmId, other);
    await say(swarmId, holder);
    const text = "select private.may_run_continue(r) as may from public.runs r where swarm_id = $1 and user_id = $2";
    assert.deepEqual(await stage.rows(text, [swarmId, other]), [{ may: true }]);
    await stage.rows("delete from public.swarm_members where swarm_id = $1 and user_id = $2", [swarmId, other]);
    assert.deepEqual(await stage.rows(text, [swarmId, other]), [{ may: false }]);
  });

  test("is shared where the owners of all agents take part", async () => {
    const { swarmId, agentId, holder, other } = await openGroup();
    const [agent] = await stage.rows<{ user_id: string }>("select user_id from public.agents where id = $1", [agentId]);
    await addMember(stage, swarmId, agent?.user_id ?? "");
    await say(swarmId, holder);
    await say(swarmId, other);
    assert.deepEqual(await startersOf(swarmId), [holder]);
  });
});
