import assert from "node:assert/strict";
import { eventually } from "./eventually.ts";
import type { LiveStatus } from "./live-status.ts";
import type { Narrator } from "./narrator.ts";
import { type Person, take } from "./people.ts";
import { type Frame, readFrames } from "./read-frames.ts";

interface Answer {
  readonly status: string;
  readonly responses: readonly { readonly agent_name: string; readonly message: { readonly content: string } }[];
}

export async function askForAll(ada: Person, swarmId: string, narrator: Narrator): Promise<void> {
  narrator.step("Ask, and get the whole answer", 'functions.invoke("agent-respond")');
  const body = { swarm_id: swarmId, message: "Shall we ship it?" };
  narrator.line(`Ada: ${body.message}`);
  const run = take<Answer>(await ada.client.functions.invoke("agent-respond", { body }));
  for (const { agent_name, message } of run.responses) narrator.line(`${agent_name}: ${message.content}`);
  assert.equal(run.responses.length, 2, "both agents were to answer");
}

/** Streams the answer with a tool call, while a channel reports the status of the agent. */
export async function askForStream(ada: Person, swarmId: string, live: LiveStatus, narrator: Narrator): Promise<void> {
  narrator.step("Ask again, streamed, with a tool call", 'functions.invoke("agent-respond", { stream: true })');
  const message = '@Clerk Where is order A-17?\n/tool find_order {"number":"A-17"}';
  narrator.line(`Ada: ${message.replace("\n", "  ")}`);
  const before = live.heard.length;
  const response = take<Response>(
    await ada.client.functions.invoke("agent-respond", { body: { swarm_id: swarmId, message, stream: true } }),
  );
  assert.ok(response.body !== null, "the answer was to be a stream");
  const seen = new Map<string, number>();
  for await (const frame of readFrames(response.body)) {
    seen.set(frame.event, (seen.get(frame.event) ?? 0) + 1);
    showFrame(frame, narrator);
  }
  narrator.line(`${seen.get("message.delta")} pieces, then ${[...seen.keys()].at(-1)}`);
  assert.equal(seen.get("tool.executed"), 1, "the tool was to be called");

  narrator.step("Status changes that a second client received meanwhile", 'channel.on("postgres_changes")');
  const statuses = await eventually(
    () => live.heard.slice(before).filter((status) => status.startsWith("Clerk ")),
    (heard) => heard.at(-1) === "Clerk idle",
    "the end of the turn over realtime",
  );
  narrator.line(statuses.join(" → "));
  assert.deepEqual(statuses, ["Clerk thinking", "Clerk responding", "Clerk idle"]);
}

function showFrame({ event, fields }: Frame, narrator: Narrator): void {
  switch (event) {
    case "message.delta":
      narrator.piece(String(fields["delta"]));
      return;
    case "tool.started":
      narrator.line(`[${event}] ${String(fields["tool_name"])} ${JSON.stringify(fields["input"])}`);
      return;
    case "tool.executed":
      narrator.line(`[${event}] ${String(fields["output_preview"])}`);
      return;
    default:
  }
}
