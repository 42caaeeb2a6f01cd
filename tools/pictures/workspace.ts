import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { Instance } from "../../console/test/support/instance.ts";
import { eventually } from "../../server/demo/eventually.ts";
import { type CreatedRow, dataOf } from "../../server/demo/people.ts";
import type { Office } from "./office.ts";
import {
  AGENTS,
  COUNT_TOOL,
  FIRST_QUESTION,
  GRACE,
  IN_THE_SWARM,
  KATHERINE,
  OTHER_SWARMS,
  OTHER_TOOLS,
  REMARK,
  REMARKS,
  RETRIED_REMARK,
  SWARM,
} from "./story.ts";
import { inventUsage } from "./usage-rows.ts";

export interface Workspace {
  readonly grace: SupabaseClient;
  readonly swarmId: string;
  readonly agentIds: ReadonlyMap<string, string>;
  readonly webhookId: string;
  /** The delivery whose first attempt failed and whose second succeeded. */
  readonly deliveryId: string;
}

const TOKENS_A_DAY = [64_000, 48_000, 35_000, 21_000, 27_000, 9_000];
const USD_A_MILLION: Readonly<Record<string, number>> = {
  "mellifera-large": 3.1,
  "mellifera-small": 0.5,
  "cerana-2": 1.7,
};

/** Fills the account of a new user through the public interface. */
export async function fillWorkspace(instance: Instance, office: Office): Promise<Workspace> {
  const grace = connect(instance, instance.anon_key);
  dataOf(await grace.auth.signInWithPassword(GRACE));
  const katherine = connect(instance, instance.anon_key);
  const { name, ...account } = KATHERINE;
  dataOf(await katherine.auth.signUp({ ...account, options: { data: { full_name: name } } }));

  const agents = dataOf<readonly CreatedRow[]>(
    await grace
      .from("agents")
      .insert([...AGENTS].toReversed())
      .select(),
  );
  const agentIds = new Map(agents.map(({ id, name: agentName }) => [String(agentName), id]));
  await giveTools(grace, office, agentIds);
  const { swarmId, otherSwarmId } = await makeSwarms(grace, katherine, agentIds);
  await fillUsage(instance, grace, { swarmId, agentIds });
  const webhookId = await makeWebhooks(grace, office);
  dataOf(await grace.functions.invoke("agent-respond", { body: { swarm_id: swarmId, message: FIRST_QUESTION } }));
  dataOf(await katherine.from("messages").insert({ swarm_id: swarmId, content: REMARK, content_type: "markdown" }));
  const deliveryId = await makeRemarks(grace, office, { swarmId: otherSwarmId, webhookId });
  return { grace, swarmId, agentIds, webhookId, deliveryId };
}

function connect({ url }: Instance, key: string): SupabaseClient {
  return createClient<unknown>(url, key, { auth: { persistSession: false } });
}

async function giveTools(client: SupabaseClient, office: Office, agentIds: ReadonlyMap<string, string>): Promise<void> {
  const config = { method: "GET", url: office.listUrl };
  const made = dataOf<readonly CreatedRow[]>(
    await client
      .from("tools")
      .insert([...OTHER_TOOLS, { ...COUNT_TOOL, config }], { defaultToNull: false })
      .select(),
  );
  const calculator = dataOf<readonly CreatedRow[]>(await client.from("tools").select().eq("name", "calculator"));
  const useful = [...made.filter(({ name }) => name === COUNT_TOOL.name), ...calculator];
  const assignments = useful.map(({ id }) => ({ agent_id: agentIds.get("Otto"), tool_id: id }));
  dataOf(await client.from("agent_tools").insert(assignments));
}

async function makeSwarms(
  grace: SupabaseClient,
  katherine: SupabaseClient,
  agentIds: ReadonlyMap<string, string>,
): Promise<{ readonly swarmId: string; readonly otherSwarmId: string }> {
  let otherSwarmId = "";
  for (const { swarm, agents } of OTHER_SWARMS) {
    const { id } = dataOf<CreatedRow>(await grace.from("swarms").insert(swarm).select().single());
    otherSwarmId = id;
    dataOf(
      await grace.from("swarm_agents").insert(agents.map((name) => ({ swarm_id: id, agent_id: agentIds.get(name) }))),
    );
  }
  const { id } = dataOf<CreatedRow>(await grace.from("swarms").insert(SWARM).select().single());
  const assignments = IN_THE_SWARM.map((name, position) => ({ swarm_id: id, agent_id: agentIds.get(name), position }));
  dataOf(await grace.from("swarm_agents").insert(assignments));
  const invitation = dataOf<CreatedRow>(
    await grace.from("swarm_members").insert({ swarm_id: id, email: KATHERINE.email, role: "admin" }).select().single(),
  );
  const { secret } = dataOf<{ readonly secret: string }>(
    await grace.functions.invoke("invitations", { body: { action: "create_link", invitation_id: invitation.id } }),
  );
  dataOf(await katherine.functions.invoke("invitations", { body: { action: "accept", secret } }));
  return { swarmId: id, otherSwarmId };
}

async function fillUsage(
  instance: Instance,
  grace: SupabaseClient,
  { swarmId, agentIds }: { readonly swarmId: string; readonly agentIds: ReadonlyMap<string, string> },
): Promise<void> {
  const { user } = dataOf<{ user: { id: string } }>(await grace.auth.getUser());
  const sources = AGENTS.map(({ name, framework, model }, at) => ({
    agentId: agentIds.get(name) ?? "",
    framework,
    model,
    tokensADay: TOKENS_A_DAY[at] ?? 0,
    usdAMillion: USD_A_MILLION[model] ?? 0,
  }));
  const rows = inventUsage({ payerId: user.id, swarmId, nowMs: Date.now() }, sources);
  // Only the service writes usage, and a month of it cannot be waited for.
  dataOf(await connect(instance, instance.service_role_key).from("usage_records").insert(rows));
}

/** One webhook that receives the launch events, and one that is disabled. */
async function makeWebhooks(grace: SupabaseClient, office: Office): Promise<string> {
  const events = ["message.created", "tool.executed", "swarm.completed", "user.joined"];
  const off = { name: "Old dashboard", url: `${office.hookUrl}/old`, events: ["agent.created"], is_active: false };
  dataOf(await grace.from("webhooks").insert(off));
  const row = { name: "Launch board", url: office.hookUrl, events };
  return dataOf<CreatedRow>(await grace.from("webhooks").insert(row).select().single()).id;
}

/** Returns the delivery whose first attempt failed and whose second succeeded. */
async function makeRemarks(
  grace: SupabaseClient,
  office: Office,
  { swarmId, webhookId }: { readonly swarmId: string; readonly webhookId: string },
): Promise<string> {
  const say = async (content: string, attempts: number, status: string): Promise<CreatedRow> => {
    dataOf(await grace.from("messages").insert({ swarm_id: swarmId, content }));
    return eventually(
      async () => {
        const newest = grace.from("webhook_deliveries").select().eq("webhook_id", webhookId);
        return (
          dataOf<readonly CreatedRow[]>(await newest.order("created_at", { ascending: false }).limit(1))[0] ?? {
            id: "",
          }
        );
      },
      (delivery) =>
        delivery["status"] === status &&
        delivery["attempts"] === attempts &&
        JSON.stringify(delivery["payload"]).includes(content),
      `the delivery of "${content}" to be ${status}`,
    );
  };
  const deliveries: CreatedRow[] = [];
  for (const { content, answers, attempts, status } of REMARKS) {
    office.answerWith(answers);
    deliveries.push(await say(content, attempts, status));
  }
  office.answerWith([200]);
  return deliveries[RETRIED_REMARK]?.id ?? "";
}
