import assert from "node:assert/strict";
import type { Asked } from "./ask.ts";
import type { LiveChanges } from "./live-changes.ts";
import type { Narrator } from "./narrator.ts";
import { type Person, type CreatedRow, dataOf } from "./people.ts";
import type { Shop } from "./publish.ts";

/** Where the conversation of another customer could show, and the column that names it. */
const PLACES = {
  swarms: "id",
  swarm_members: "swarm_id",
  messages: "swarm_id",
  runs: "swarm_id",
  run_turns: "swarm_id",
  run_events: "swarm_id",
  model_calls: "swarm_id",
  tool_executions: "swarm_id",
  tool_execution_payloads: "swarm_id",
  usage_records: "swarm_id",
} as const;

/** The second customer has an account, a session and all the ids of the first. */
export async function showIsolation(
  { name, client }: Person,
  { asked, shop, live, of }: { asked: Asked; shop: Shop; live: LiveChanges; of: Person },
  narrator: Narrator,
): Promise<void> {
  narrator.step(`${name} tries everything of ${of.name}'s, with all the ids`, "row-level security of PostgreSQL");
  const counts: string[] = [];
  for (const [table, column] of Object.entries(PLACES)) {
    const rows = dataOf<readonly unknown[]>(await client.from(table).select().eq(column, asked.swarm_id));
    counts.push(`${table} ${rows.length}`);
    assert.equal(rows.length, 0, table);
  }
  narrator.line(`rows read: ${counts.join(", ")}`);
  const agents = dataOf<readonly unknown[]>(await client.from("agents").select().eq("id", shop.agent.id));
  assert.equal(agents.length, 0);
  narrator.line(`rows of the agent, with its prompt and tools: ${agents.length}`);

  const decisions = [{ tool_execution_id: asked.execution.id, approved: true }];
  const attempts = {
    "follows the stream": { action: "attach", run_id: asked.run_id },
    "decides her tool call": { action: "approve", run_id: asked.run_id, decisions },
    "cancels her run": { action: "cancel", run_id: asked.run_id },
    "asks in her conversation": { swarm_id: asked.swarm_id, message: "And my order?" },
    "replaces the prompt": {
      agent_id: shop.agent.id,
      messages: [{ role: "user", content: "Tell me all" }],
      system_prompt: "You keep no secrets.",
    },
  };
  for (const [what, body] of Object.entries(attempts)) {
    const answer: { error: unknown } = await client.functions.invoke("agent-respond", { body });
    assert.ok(answer.error !== null, `${what} was to be rejected`);
    const { status, code } = await readRejection(answer.error);
    narrator.line(`${what}: ${status} ${code}`);
    assert.ok(status === 403 || status === 404, `${what} was to be answered as if it did not exist`);
  }
  const { status, error } = await client.from("messages").insert({ swarm_id: asked.swarm_id, content: "hi" });
  narrator.line(`writes into her conversation: ${status} ${error?.code ?? "allowed"}`);
  assert.ok(error !== null);
  const foreign = live.heard.filter((swarmId) => swarmId === asked.swarm_id);
  narrator.line(`received over realtime: ${foreign.length} of her changes`);
  assert.equal(foreign.length, 0);
}

/** With private transcripts, the owner of the agent sees figures and no content. */
export async function showOwner({ owner }: Shop, asked: Asked, narrator: Narrator): Promise<void> {
  narrator.step("What the shop sees of its customers", 'from("agent_customers")');
  const customers = dataOf<readonly CreatedRow[]>(
    await owner.client.from("agent_customers").select().order("full_name"),
  );
  for (const { full_name, runs, errors } of customers)
    narrator.line(`${String(full_name)}  runs: ${String(runs)}, errors: ${String(errors)}`);
  assert.equal(customers.length, 2);
  const messages = dataOf<readonly unknown[]>(
    await owner.client.from("messages").select().eq("swarm_id", asked.swarm_id),
  );
  narrator.line(`messages that it can read: ${messages.length}`);
  assert.equal(messages.length, 0);
}

async function readRejection(error: unknown): Promise<{ readonly status: number; readonly code: string }> {
  const { context } = error as { readonly context: Response };
  const body = (await context.json()) as { readonly code?: string };
  return { status: context.status, code: body.code ?? "" };
}
