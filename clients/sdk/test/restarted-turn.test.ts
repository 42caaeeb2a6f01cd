import assert from "node:assert/strict";
import { test } from "node:test";
import { applyRunEvent, attach, beginLiveRun, type FunctionsClient, type RunStreamEvent } from "@swarmbase/sdk";
import { ChunkConverter } from "../src/ai/chunk-converter.ts";

const IDS = { run_id: "r", swarm_id: "s", turn_id: "turn", message_id: "m" };
const begun = (id: number): RunStreamEvent => ({
  type: "turn.started",
  id,
  data: { ...IDS, agent_id: "a", agent_name: "Ada", model: "x", seq: id },
});
const delta = (id: number, text: string): RunStreamEvent => ({
  type: "message.delta",
  id,
  data: { ...IDS, delta: text, seq: id },
});
const restarted = (id: number, text: string): RunStreamEvent => ({
  type: "turn.restarted",
  id,
  data: { ...IDS, agent_id: "a", reason: "worker_lost", text, seq: id },
});
/** The node was lost after the event 7, and the text from the event 3 on was part of the call that is made again. */
const EVENTS = [
  begun(1),
  delta(2, "Wait."),
  delta(3, " It is"),
  delta(7, " r"),
  restarted(104, "Wait."),
  delta(105, " It is blue."),
];

test("a turn that begins again replaces its text, and the state continues after its event", () => {
  const run = EVENTS.reduce(applyRunEvent, beginLiveRun("r", "s"));
  assert.deepEqual([run.turns[0]?.text, run.lastEventId], ["Wait. It is blue.", 105]);
});

test("a stream yields each id once, and so the event that replaces the text", async () => {
  const frames = [...EVENTS, ...EVENTS, { type: "done", id: 106, data: { run_id: "r", seq: 106 } }].map(
    ({ type, id, data }) => `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`,
  );
  const stream = attach(clientOf(frames.join("")), "r");
  const seen: string[] = [];
  for await (const { type, id } of stream) seen.push(`${type} ${id}`);
  assert.deepEqual(seen.slice(3), ["message.delta 7", "turn.restarted 104", "message.delta 105", "done 106"]);
});

test("a chat gets the new text as a part of its own", () => {
  const converter = new ChunkConverter([]);
  const texts = new Map<string, string>();
  for (const chunk of EVENTS.flatMap((event) => converter.convert(event)))
    if (chunk.type === "text-delta") texts.set(chunk.id, (texts.get(chunk.id) ?? "") + chunk.delta);
  assert.deepEqual([...texts.values()], ["Wait. It is r", "Wait. It is blue."]);
});

function clientOf(body: string): FunctionsClient {
  const headers = { "content-type": "text/event-stream", "x-run-id": "r" };
  return { functions: { invoke: async () => ({ data: new Response(body, { headers }), error: null }) } };
}
