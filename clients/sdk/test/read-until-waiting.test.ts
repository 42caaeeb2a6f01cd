import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { SupabaseClient } from "@supabase/supabase-js";
import {
  attach,
  type Database,
  invokeFunction,
  listWaitingCalls,
  readUntilWaiting,
  respond,
  type Run,
  type RunStreamEvent,
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
