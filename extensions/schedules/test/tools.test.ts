import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Parsed } from "../../../server/test/support/extended-service.ts";
import { until } from "../../../server/test/support/until.ts";
import { openStage, type Person, type Stage } from "./support/stage.ts";

const closers: (() => Promise<void>)[] = [];
let stage: Stage;
before(async () => {
  stage = await openStage(closers);
});
after(async () => {
  for (const close of closers) await close();
});

const LATER = { message: "Say hello.", run_at: "2100-01-01T00:00:00Z" };

/** Gives the person's agent both tools. */
async function giveTools(person: Person): Promise<string[]> {
  const ids: string[] = [];
  for (const name of ["schedule", "unschedule"]) {
    const { id, input_schema } = await person.insert("tools", { name, kind: "schedule", config: { action: name } });
    assert.deepEqual(input_schema.required, [name === "schedule" ? "message" : "schedule_id"]);
    await person.insert("agent_tools", { agent_id: person.agentId, tool_id: id });
    ids.push(id);
  }
  return ids;
}

/** Has an agent call a tool, and returns the run with the row of the call. */
async function use(
  person: Pick<Person, "send">,
  agentId: string,
  tool: string,
  input: object,
  more: object = {},
  status = 200,
): Promise<Parsed> {
  const message = `/tool ${tool} ${JSON.stringify(input)}`;
  const body = { agent_id: agentId, message, ...more };
  const run = await person.send("POST", "/functions/v1/agent-respond", body, status);
  const path = `/rest/v1/tool_executions?run_id=eq.${run.run_id}&select=*,tool_execution_payloads(output)`;
  return { ...run, call: (await person.send("GET", path))[0] };
}

const outputOf = ({ call }: Parsed): Parsed => call.tool_execution_payloads.output;

describe("the tools schedule and unschedule", () => {
  test("make and end schedules of the person who asks, in that conversation", async () => {
    const ada = await stage.newPerson();
    await giveTools(ada);
    const run = await use(ada, ada.agentId, "schedule", { ...LATER, cron: undefined });
    assert.equal(run.call.status, "succeeded", JSON.stringify(run));
    const { schedule_id: id, next_run_at } = outputOf(run);
    const row = await ada.read(id);
    assert.deepEqual(
      [row.user_id, row.swarm_id, row.agent_id, row.created_by_agent_id, row.message, row.api_key_id],
      [ada.id, run.swarm_id, null, ada.agentId, "Say hello.", null],
    );
    assert.equal(new Date(row.next_run_at).toISOString(), next_run_at);
    await stage.sql.query("update public.schedules set due_at = now(), next_run_at = now() where id = $1", [id]);
    await stage.sql.query("select private.wake_extension('schedules')");
    await ada.readUntil(id, ({ last_outcomes: [outcome] }) => outcome?.outcome === "completed", "the run ends");
    assert.equal((await ada.runsOf(id))[0].swarm_id, run.swarm_id);
    const weekly = outputOf(await use(ada, ada.agentId, "schedule", { message: "m", cron: "0 9 * * 1" })).schedule_id;
    const elsewhere = await use(ada, ada.agentId, "unschedule", { schedule_id: weekly }, { conversation: "new" });
    assert.equal(elsewhere.call.error.code, "TOOL_FAILED", "only in its conversation");
    assert.equal(elsewhere.call.status, "failed");
    const latest = await ada.schedule({ cron: "0 9 * * 1" });
    const foreign = await use(ada, ada.agentId, "unschedule", { schedule_id: latest.id });
    assert.equal(foreign.call.status, "failed", "only what the agent has made");
    assert.ok(await ada.read(weekly));
  });

  test("reject what could not be started, and an eleventh schedule of an agent for one person", async () => {
    const ada = await stage.newPerson();
    const [toolId] = await giveTools(ada);
    const errorOf = async (input: object, more?: object): Promise<string> => {
      const { call } = await use(ada, ada.agentId, "schedule", input, more);
      assert.equal(call.status, "failed", JSON.stringify(call));
      return call.error.message;
    };
    assert.match(await errorOf({ message: "m" }), /cron or run_at must be given/);
    assert.match(await errorOf({ message: "m", cron: "0 0 30 2 *" }), /cron is never due/);
    assert.match(await errorOf({ message: "m", run_at: "2001-01-01T00:00:00Z" }), /not over/);
    assert.match(await errorOf({ message: "m", run_at: "9999-01-01T00:00:00Z" }), /before the year 9000/);
    // The owner of a tool can replace its schema.
    await ada.send("PATCH", `/rest/v1/tools?id=eq.${toolId}`, { input_schema: { type: "object" } });
    assert.match(await errorOf({ message: "m", run_at: "2100-01-01T00:00:00" }), /time with its offset/);
    const insert = `insert into public.schedules (user_id, name, agent_id, message, cron, created_by_agent_id)
      select $1, 'n', $2, 'm', '0 0 1 1 *', $2 from generate_series(1, 10)`;
    await stage.sql.query(insert, [ada.id, ada.agentId]);
    assert.match(await errorOf(LATER), /You have 10 schedules/);
    const over = `update public.schedules set enabled = false, cron = null, run_at = now() - n * interval '1 day'
      from (select id, row_number() over (order by id) as n from public.schedules where user_id = $1 limit 2) as s
      where schedules.id = s.id returning schedules.id, n`;
    const { rows } = await stage.sql.query<{ id: string; n: string }>(over, [ada.id]);
    assert.equal((await use(ada, ada.agentId, "schedule", LATER)).call.status, "succeeded");
    const left = (await ada.send("GET", "/rest/v1/schedules")).map(({ id }: Parsed) => id);
    assert.equal(left.length, 10, "no more than ten, also of those that are over");
    assert.deepEqual(
      rows.filter(({ id }) => left.includes(id)).map(({ n }) => n),
      ["1"],
      "the oldest has made room",
    );
    const tested = await ada.send("POST", "/functions/v1/tools", { action: "test", tool_id: toolId, input: LATER });
    assert.match(JSON.stringify(tested), /TOOL_UNUSABLE.*only be made in a conversation/);
    await ada.send("POST", "/rest/v1/tools", { name: "x", kind: "schedule", config: { action: "all" } }, 400);
  });

  test("need share of an API key, and a conversation that is stored", async () => {
    const ada = await stage.newPerson();
    await giveTools(ada);
    const key = await ada.makeKey(["read", "write", "run"]);
    const withKey = { send: (...call: [string, string, unknown?, number?]) => stage.send(key, ...call) };
    const { call } = await use(withKey, ada.agentId, "schedule", LATER);
    assert.match(call.error.message, /lacks the scope share/);
    const message = `/tool schedule ${JSON.stringify(LATER)}`;
    const body = { agent_id: ada.agentId, messages: [{ role: "user", content: message }] };
    const hidden = await ada.send("POST", "/functions/v1/agent-respond", body);
    assert.equal(hidden.status, "completed");
    assert.deepEqual(await ada.send("GET", "/rest/v1/schedules"), []);
  });

  test("wait for the approval of whoever asks an agent of somebody else, and show its owner nothing", async () => {
    const [bob, cal] = [await stage.newPerson(), await stage.newPerson()];
    await giveTools(bob);
    const grant = await bob.insert("agent_grants", { agent_id: bob.agentId, audience: "user", user_id: cal.id });
    await cal.send("POST", "/functions/v1/agent-grants", { action: "accept", grant_id: grant.id });
    const published = `/rest/v1/published_agents?id=eq.${bob.agentId}&select=acts_for_asker`;
    assert.deepEqual(await cal.send("GET", published), [{ acts_for_asker: true }], "who asks is told before");
    await stage.sql.query("update public.agents set acts_for_askers = true where id = $1", [bob.agentId]);
    const run = await use(cal, bob.agentId, "schedule", LATER, {}, 202);
    assert.equal(run.status, "requires_action", JSON.stringify(run));
    assert.deepEqual(await cal.send("GET", "/rest/v1/schedules"), []);
    const decide = (person: Person, status: number): Promise<Parsed> =>
      person.send(
        "POST",
        "/functions/v1/agent-respond",
        { action: "approve", run_id: run.run_id, decisions: [{ tool_execution_id: run.call.id, approved: true }] },
        status,
      );
    await decide(bob, 404);
    await decide(cal, 200);
    const path = "/rest/v1/schedules?select=id,user_id,swarm_id,created_by_agent_id";
    await until(async () => (await cal.send("GET", path)).length > 0, "the approved call is executed");
    const [{ id, ...row }, ...others] = await cal.send("GET", path);
    assert.deepEqual(row, { user_id: cal.id, swarm_id: run.swarm_id, created_by_agent_id: bob.agentId });
    assert.deepEqual(others, []);
    assert.deepEqual(await bob.send("GET", "/rest/v1/schedules"), []);
    await bob.send("DELETE", `/rest/v1/agent_grants?id=eq.${grant.id}`);
    await stage.sql.query("update public.schedules set due_at = now(), next_run_at = now() where id = $1", [id]);
    await stage.sql.query("select private.wake_extension('schedules')");
    const ended = await cal.readUntil(id, ({ enabled }) => !enabled, "the end of the grant stops it");
    assert.equal(ended.paused_reason, "PERMISSION_DENIED");
  });
});
