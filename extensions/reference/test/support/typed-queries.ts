import assert from "node:assert/strict";
import type {
  AgentRecord,
  AgentSettings,
  AgentStatus,
  Database,
  DeliveryStatus,
  AppEventType,
  EventType,
  Json,
  SwarmbaseEvent,
  SwarmRole,
} from "@swarmbase/sdk";
import type { SupabaseClient } from "@supabase/supabase-js";

type Client = SupabaseClient<Database>;
type Tables = Database["public"]["Tables"];

/** True only for types that are the same. */
type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;

/** Fails to compile unless both types are the same; at run time it does nothing. */
function expectSame<One, Other>(_isSame: Same<One, Other>): void {}

/** Queries whose types the compiler has judged, run for real: what they promise has to be there. */
export async function runTypedQueries(client: Client, toolId: string): Promise<void> {
  const { data: agent } = await client
    .from("agents")
    .insert({ name: "Typed", framework: "provider_b", settings: { temperature: 0.2, custom: true } })
    .select()
    .single()
    .throwOnError();
  expectSame<typeof agent, Tables["agents"]["Row"]>(true);
  expectSame<(typeof agent)["status"], AgentStatus>(true);
  expectSame<(typeof agent)["settings"], AgentSettings>(true);
  assert.deepEqual([agent.status, agent.settings.temperature], ["idle", 0.2]);

  await client.from("agent_tools").insert({ agent_id: agent.id, tool_id: toolId }).throwOnError();
  const { data: embedded } = await client
    .from("agents")
    .select("id, role, agent_tools(enabled, tool(name, kind), tools(input_schema))")
    .eq("id", agent.id)
    .single()
    .throwOnError();
  expectSame<typeof embedded.role, string | null>(true);
  expectSame<(typeof embedded.agent_tools)[number]["enabled"], boolean>(true);
  const [assignment] = embedded.agent_tools;
  assert.deepEqual([assignment?.enabled, assignment?.tool?.kind], [true, "builtin"]);

  const { data: swarm } = await client
    .from("swarms")
    .insert({ name: "Typed" })
    .select("id, strategy")
    .single()
    .throwOnError();
  assert.equal(swarm.strategy, "round_robin");
  await client
    .from("swarm_members")
    .insert({ swarm_id: swarm.id, email: "guest@example.com", role: "viewer" })
    .throwOnError();
  await client.from("swarm_agents").insert({ swarm_id: swarm.id, agent_id: agent.id }).throwOnError();
  const { data: joined } = await client
    .from("swarms")
    .select("name, swarm_members(role, status), swarm_agents(position, agent_cards(name, status))")
    .eq("id", swarm.id)
    .single()
    .throwOnError();
  expectSame<(typeof joined.swarm_members)[number]["role"], SwarmRole>(true);
  assert.deepEqual(joined.swarm_members.map(({ role }) => role).toSorted(), ["owner", "viewer"]);
  assert.equal(joined.swarm_agents[0]?.agent_cards?.name, "Typed");

  const { data: trace } = await client
    .from("runs")
    .select("*, turns(*, model_calls(*), tool_executions(*))")
    .eq("status", "completed")
    .limit(1)
    .single()
    .throwOnError();
  const [turn] = trace.turns;
  expectSame<typeof turn, (typeof trace.turns)[number] | undefined>(true);
  expectSame<NonNullable<typeof turn>["model_calls"], Tables["model_calls"]["Row"][]>(true);
  expectSame<NonNullable<typeof turn>["tool_executions"], Tables["tool_executions"]["Row"][]>(true);
  assert.deepEqual(
    turn?.model_calls.map(({ run_id, turn_id, attempt, status }) => [run_id, turn_id, attempt, status]),
    [[trace.id, turn?.id, 1, "succeeded"]],
  );

  const { data: renamed } = await client
    .from("agents")
    .update({ name: "Renamed", status: "error", model: null })
    .eq("id", agent.id)
    .select("name, status")
    .single()
    .throwOnError();
  assert.deepEqual(renamed, { name: "Renamed", status: "error" });
}

/** What the compiler has to reject; never run. */
async function _rejected(client: Client): Promise<void> {
  // @ts-expect-error: no such table
  client.from("nobody");
  // @ts-expect-error: name is needed
  await client.from("agents").insert({ framework: "provider_a" });
  // @ts-expect-error: a framework that is not known
  await client.from("agents").insert({ name: "A", framework: "provider_z" });
  // @ts-expect-error: the status of a new agent is the service's
  await client.from("agents").insert({ name: "A", status: "idle" });
  // @ts-expect-error: times are the service's
  await client.from("agents").update({ created_at: "2026-11-15T12:00:00Z" });
  // @ts-expect-error: an id never changes
  await client.from("agents").update({ id: "x" });
  // @ts-expect-error: the secret is made by the service
  await client.from("webhooks").insert({ name: "W", url: "https://a.example", events: ["agent.error"], secret: "s" });
  // @ts-expect-error: no such event
  await client.from("webhooks").insert({ name: "W", url: "https://a.example", events: ["agent.asleep"] });
  // @ts-expect-error: deliveries are read-only
  await client.from("webhook_deliveries").insert({ webhook_id: "x" });
  // @ts-expect-error: profiles come with the account
  await client.from("profiles").insert({ id: "x" });
  // @ts-expect-error: no such function
  await client.rpc("nothing");
  await client.rpc("tool", { assignment: {} as Tables["agent_tools"]["Row"] });
  // @ts-expect-error: of another table
  await client.rpc("tool", { assignment: {} as Tables["agents"]["Row"] });
  const { data } = await client.from("agents").select("name").single();
  // @ts-expect-error: not selected
  assert.ok(data?.model);
  const { data: wrong } = await client.from("agents").select("naem").single();
  // @ts-expect-error: no such column
  assert.ok(wrong?.naem);
}

expectSame<Tables["webhooks"]["Row"]["events"], (EventType | AppEventType)[]>(true);
expectSame<Tables["webhook_deliveries"]["Row"]["payload"], SwarmbaseEvent>(true);
expectSame<Tables["webhook_deliveries"]["Row"]["status"], DeliveryStatus>(true);
expectSame<Tables["tool_execution_payloads"]["Row"]["output"], Json | null>(true);
// An event has the row of the agent, without the time of its last status change.
expectSame<{ [Key in keyof AgentRecord]: AgentRecord[Key] }, Omit<Tables["agents"]["Row"], "status_changed_at">>(true);
