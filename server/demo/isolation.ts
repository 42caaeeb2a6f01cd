import assert from "node:assert/strict";
import type { LiveStatus } from "./live-status.ts";
import type { Narrator } from "./narrator.ts";
import type { Person, Row } from "./people.ts";

export interface Target {
  readonly agent: Row;
  readonly swarm: Row;
  readonly webhook: Row;
}

/** Bob has an account, a session and all the ids. */
export async function showIsolation(
  { client }: Person,
  live: LiveStatus,
  { agent, swarm, webhook }: Target,
  narrator: Narrator,
): Promise<void> {
  narrator.step("Bob tries to access Ada's rows", "row-level security of PostgreSQL");
  const { data: rows } = await client.from("agents").select("id");
  narrator.line(`reads agents: ${rows?.length} rows`);
  assert.equal(rows?.length, 0);

  const rejected: [string, { status: number; error: { code?: string } | null }][] = [
    ["renames her agent", await client.from("agents").update({ name: "Mine" }).eq("id", agent.id)],
    ["reads her secret", await client.from("webhooks").select("secret").eq("id", webhook.id).single()],
    ["writes into her swarm", await client.from("messages").insert({ swarm_id: swarm.id, content: "hi" })],
  ];
  for (const [what, { status, error }] of rejected) {
    narrator.line(`${what}: ${status} ${error?.code ?? "allowed"}`);
    assert.ok(error !== null, `${what} was to be rejected`);
  }
  narrator.line(`receives over realtime: ${live.heard.length} changes`);
  assert.equal(live.heard.length, 0);
}
