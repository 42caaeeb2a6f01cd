import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { SupabaseClient } from "@supabase/supabase-js";
import {
  applyRunEvent,
  attach,
  beginLiveRun,
  type Database,
  invokeFunction,
  listWaitingCalls,
  readUntilWaiting,
  respond,
  type Run,
  type RunStreamEvent,
  signal,
} from "@swarmbase/sdk";
import { addSwarm, startTypedService } from "./support/typed-service.ts";

describe("reading a run until it waits", () => {
  const closers: (() => Promise<void>)[] = [];
  let client: SupabaseClient<Database>;
  let swarmId: string;

  before(async () => {
    const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
    const service = await startTypedService(cleanup, { SIMULATED_TOKENS_PER_SECOND: "200" });
    client = await service.signIn(service.port);
    swarmId = await addSwarm(client, "Buyer", "Writer");
    await client.from("swarms").update({ strategy: "parallel" }).eq("id", swarmId).throwOnError();
    const tool = {
      name: "buy",
      description: "Buys a book.",
      requires_approval: true,
      config: { url: "https://a.test" },
    };
    const { data: buy } = await client.from("tools").insert(tool).select("id").single().throwOnError();
    const { data: buyer } = await client.from("agents").select("id").eq("name", "Buyer").single().throwOnError();
    await client.from("agent_tools").insert({ agent_id: buyer.id, tool_id: buy.id }).throwOnError();
  });
  after(async () => {
    for (const close of closers) await close();
  });

  test("delivers the whole text of agents that write beside the one whose call waits", async () => {
    let text = "";
    const reading = readUntilWaiting(client, respond(client, { swarm_id: swarmId, message: "/tool buy" }));
    const run = await read(reading, ({ type, data }) => void (text += type === "message.delta" ? data.delta : ""));
    assert.equal(run?.status, "requires_action");
    assert.deepEqual(
      run.responses.map(({ message }) => message.content),
      [text],
    );
  });

  test("passes calls that are answered, and returns null at the end of the run", async () => {
    const first = await read(readUntilWaiting(client, respond(client, { swarm_id: swarmId, message: "/tool buy" })));
    assert.ok(first !== null);
    const answeredIds = listWaitingCalls(first);
    assert.equal(answeredIds.length, 1);
    const { run_id } = first;
    const decisions = answeredIds.map((id) => ({ tool_execution_id: id, approved: false }));
    await invokeFunction(client, "agent-respond", { action: "approve", run_id, decisions });
    const types: string[] = [];
    const events = readUntilWaiting(client, attach(client, run_id), { answeredIds });
    assert.equal(await read(events, ({ type }) => void types.push(type)), null);
    assert.ok(types.includes("tool.approval_required"));
    assert.equal(types.at(-1), "done");
  });

  test("ends where the run waits for a signal, and goes on after it", async () => {
    const { data: agent } = await client.from("agents").insert({ name: "Waiter" }).select("id").single().throwOnError();
    const { data: tool } = await client.from("tools").select("id").eq("name", "wait_for_event").single().throwOnError();
    await client.from("agent_tools").insert({ agent_id: agent.id, tool_id: tool.id }).throwOnError();
    const message = '/tool wait_for_event {"name": "paid", "seconds": 3600}';
    let live = beginLiveRun("", "");
    const note = (event: RunStreamEvent): void => void (live = applyRunEvent(live, event));
    const run = await read(readUntilWaiting(client, respond(client, { agent_id: agent.id, message })), note);
    assert.ok(run !== null);
    const [wait] = run.pending_waits ?? [];
    assert.deepEqual([run.status, wait?.kind, wait?.name, wait?.from], ["waiting", "event", "paid", "starter"]);
    const [call] = live.turns[0]?.tools ?? [];
    assert.deepEqual(
      [live.status, call?.status, call?.wait, call?.expiresAt],
      ["waiting", "waiting", { kind: "event", name: "paid", from: "starter" }, wait?.until],
    );
    const { data: rows } = await client.from("runs").select("pending_waits").eq("id", run.run_id).throwOnError();
    assert.deepEqual(rows, [{ pending_waits: run.pending_waits }]);

    const headers = { "idempotency-key": run.run_id };
    for (let again = 0; again < 2; again += 1)
      await signal(client, { run_id: run.run_id, name: "paid", data: { amount: 3 } }, { headers });
    const left = readUntilWaiting(client, attach(client, run.run_id, { lastEventId: live.lastEventId }));
    assert.equal(await read(left, note), null);
    assert.equal(live.status, "completed");
    assert.match(live.turns[0]?.tools[0]?.output ?? "", /"amount": ?3/);
  });
});

async function read(
  events: ReturnType<typeof readUntilWaiting>,
  onEvent: (event: RunStreamEvent) => void = () => {},
): Promise<Run | null> {
  for (;;) {
    const { done, value } = await events.next();
    if (done === true) return value;
    onEvent(value);
  }
}
