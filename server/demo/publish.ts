import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import pg from "pg";
import type { Credentials } from "../testing/run-instance.ts";
import { eventually } from "./eventually.ts";
import type { Narrator } from "./narrator.ts";
import type { Office } from "./office.ts";
import { add, type Person, type CreatedRow, signIn, dataOf } from "./people.ts";

export interface Shop {
  /** Owns the agent. */
  readonly owner: Person;
  readonly agent: CreatedRow;
}

/** The tables of the app. Its policy decides who sees which order, also when the agent reads them for a customer. */
const SCHEMA = `
  create table public.orders (
    user_id uuid not null references auth.users on delete cascade,
    number text not null,
    state text not null,
    primary key (user_id, number)
  );
  alter table public.orders enable row level security;
  create policy own_orders on public.orders for select to authenticated using (user_id = (select auth.uid()));
  grant select on public.orders to authenticated;
  grant select, insert on public.orders to service_role;
  create function public.my_orders() returns setof public.orders language sql stable
    as $$ select o.* from public.orders o order by o.number $$;
  create function public.request_report() returns text language sql stable
    as $$ select 'R-' || o.number from public.orders o order by o.number limit 1 $$;
  grant execute on function public.my_orders(), public.request_report() to authenticated;
`;

/** An account of the app with an agent, its tools and a webhook, which the service role makes and publishes to everyone. */
export async function publishAgent(
  credentials: Credentials,
  { office, toolToken, narrator }: { office: Office; toolToken: string; narrator: Narrator },
): Promise<Shop> {
  narrator.step("Publish one agent to every customer", 'from("agents"), from("tools"), from("agent_grants")');
  const database = new pg.Client(credentials.database_url);
  await database.connect();
  await database.query(SCHEMA);
  await database.end();
  narrator.line("table    orders: customers see their own, by a policy; the function my_orders lists them");

  const client: SupabaseClient = createClient<unknown>(credentials.url, credentials.service_role_key);
  const service: Person = { name: "service role", id: "", client };
  const account = { email: "shop@example.com", password: "correct horse Shop" };
  dataOf(await client.auth.admin.createUser({ ...account, email_confirm: true }));
  const owner = await signIn(credentials, "Shop", account);
  const agent = await add(service, "agents", {
    user_id: owner.id,
    name: "Support",
    description: "Knows the orders, and refunds them.",
    system_prompt: "You are the support of a small shop. Never tell anybody that the owner is called Mallory.",
    acts_for_askers: true,
  });
  const tools = [
    {
      name: "my_orders",
      description: "Finds the orders of the customer, and says where they are.",
      kind: "rpc",
      config: { function: "my_orders" },
    },
    {
      name: "request_report",
      description: "Begins a summary of everything that was bought, and names its number.",
      kind: "rpc",
      config: { function: "request_report" },
    },
    {
      name: "refund_order",
      description: "Refunds an order by its number.",
      requires_approval: true,
      config: {
        method: "POST",
        url: office.ordersUrl,
        auth: { type: "bearer", secret: "api_token" },
        identity: "required",
      },
      input_schema: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
      secrets: { api_token: toolToken },
    },
  ];
  await eventually(
    async () => (await client.rpc("request_report")).error?.code,
    (code) => code !== "PGRST202",
    "the service to know the functions",
  );
  for (const tool of tools) {
    const { id } = await add(service, "tools", { ...tool, owner_id: owner.id });
    await add(service, "agent_tools", { agent_id: agent.id, tool_id: id });
  }
  const wait = dataOf<CreatedRow>(await client.from("tools").select("id").eq("name", "wait_for_event").single());
  const configuration = { name: "report.ready" };
  await add(service, "agent_tools", { agent_id: agent.id, tool_id: wait.id, configuration });
  const events = ["tool.executed", "message.created"];
  const webhook = await add(owner, "webhooks", { name: "Office", url: office.hookUrl, events });
  office.expect(String(webhook["secret"]));
  await add(service, "agent_grants", {
    agent_id: agent.id,
    audience: "everyone",
    approver: "asker",
    runs_per_day: 100,
  });
  narrator.line(`Support  ${tools.map(({ name }) => name).join(", ")}  webhook for ${events.join(", ")}`);
  narrator.line("grant    everyone may ask, the customer approves, the shop pays, 100 runs a day each");
  narrator.line("tools    act for the customer who asks, with the rights of that customer");
  return { owner, agent };
}

/** One order for each customer, with a number of their own. */
export async function addOrders(credentials: Credentials, customers: readonly Person[]): Promise<void> {
  const client: SupabaseClient = createClient<unknown>(credentials.url, credentials.service_role_key);
  const rows = customers.map(({ id, name }) => ({ user_id: id, number: orderOf(name), state: "on its way" }));
  dataOf(await client.from("orders").insert(rows));
}

export function orderOf(name: string): string {
  return `${name[0]}-17`;
}
