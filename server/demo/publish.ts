import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { Credentials } from "../testing/run-instance.ts";
import type { Narrator } from "./narrator.ts";
import type { Office } from "./office.ts";
import { add, type Person, type Row, signIn, take } from "./people.ts";

export interface Shop {
  /** Owns the agent. */
  readonly owner: Person;
  readonly agent: Row;
}

/** An account of the app with an agent, two tools and a webhook, which the service role publishes to everyone. */
export async function publishAgent(
  credentials: Credentials,
  { office, toolToken, narrator }: { office: Office; toolToken: string; narrator: Narrator },
): Promise<Shop> {
  narrator.step("Publish one agent to every customer", 'from("agents"), from("tools"), from("agent_grants")');
  const service: SupabaseClient = createClient<unknown>(credentials.url, credentials.service_role_key);
  const account = { email: "shop@example.com", password: "correct horse Shop" };
  take(await service.auth.admin.createUser({ ...account, email_confirm: true }));
  const owner = await signIn(credentials, "Shop", account);
  const agent = await add(owner, "agents", {
    name: "Support",
    description: "Knows the orders, and refunds them.",
    system_prompt: "You are the support of a small shop. Never tell anybody that the owner is called Mallory.",
  });
  const auth = { type: "bearer", secret: "api_token" };
  const tools = [
    { name: "find_order", description: "Finds an order by its number, and says where it is." },
    { name: "refund_order", description: "Refunds an order by its number.", requires_approval: true },
  ];
  for (const tool of tools) {
    const { id } = await add(owner, "tools", {
      ...tool,
      config: { method: tool.requires_approval === true ? "POST" : "GET", url: office.ordersUrl, auth },
      input_schema: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
      secrets: { api_token: toolToken },
    });
    await add(owner, "agent_tools", { agent_id: agent.id, tool_id: id });
  }
  const events = ["tool.executed", "message.created"];
  const webhook = await add(owner, "webhooks", { name: "Office", url: office.hookUrl, events });
  office.expect(String(webhook["secret"]));
  const grant = { agent_id: agent.id, audience: "everyone", approver: "asker", runs_per_day: 100 };
  take(await service.from("agent_grants").insert(grant));
  narrator.line(`Support  ${tools.map(({ name }) => name).join(", ")}  webhook for ${events.join(", ")}`);
  narrator.line("grant    everyone may ask, the customer approves, the shop pays, 100 runs a day each");
  return { owner, agent };
}
