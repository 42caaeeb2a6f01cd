import assert from "node:assert/strict";
import { test } from "node:test";
import type { RunStreamEvent } from "@swarmbase/sdk";
import { EventConverter } from "../src/event-converter.ts";

test("the text of a turn that begins again becomes a message of its own", () => {
  const converter = new EventConverter({
    threadId: "t",
    runId: "r",
    knownCalls: [],
    knownResults: [],
    connectUrl: () => null,
  });
  const ids = { run_id: "r", swarm_id: "s", turn_id: "turn", message_id: "m" };
  const events = [
    { type: "turn.started", id: 1, data: { ...ids, agent_id: "a", agent_name: "Ada", model: "x", seq: 1 } },
    { type: "message.delta", id: 2, data: { ...ids, delta: "Wait. It is r", seq: 2 } },
    {
      type: "turn.restarted",
      id: 9,
      data: { ...ids, agent_id: "a", reason: "worker_lost", text: "Wait.", seq: 9 },
    },
    { type: "message.delta", id: 10, data: { ...ids, delta: " It is blue.", seq: 10 } },
  ] as const satisfies readonly RunStreamEvent[];
  const texts = new Map<string, string>();
  for (const event of events.flatMap((event) => converter.convert(event)))
    if (event.type === "TEXT_MESSAGE_CONTENT")
      texts.set(event.messageId, (texts.get(event.messageId) ?? "") + event.delta);
  assert.deepEqual([...texts.values()], ["Wait. It is r", "Wait. It is blue."]);
});
