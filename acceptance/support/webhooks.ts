import { eventually } from "./eventually.ts";
import { onlyRow, type Person, REPRESENTATION, type Row, type TableAnswer } from "./people.ts";
import type { ServiceSettings } from "./service.ts";
import { UNHURRIED } from "./settings.ts";

/** Retries after a second each, because nobody waits two hours for a test. */
export const QUICK_RETRIES: ServiceSettings = {
  ...UNHURRIED,
  WEBHOOK_RETRY_SCHEDULE: "0,1,1,1,1",
};

export interface Webhook extends Row {
  readonly id: string;
  readonly secret: string;
}

export async function addWebhook({ send }: Person, url: string, row: Row = {}): Promise<Webhook> {
  const body = { name: "Hook", url, events: ["agent.created"], ...row };
  return onlyRow(await send("POST /webhooks", { body, headers: REPRESENTATION })) as Webhook;
}

/** A change that is an event, `agent.created`; answers with the agent's id. */
export async function addAgent({ send }: Person, name = "Ada"): Promise<string> {
  const body = { name, framework: "provider_a" };
  return String(onlyRow(await send("POST /agents", { body, headers: REPRESENTATION }))["id"]);
}

/** Newest first. */
export async function listDeliveries({ send }: Pick<Person, "send">, { id }: Webhook): Promise<Row[]> {
  return (await send(`GET /webhook_deliveries?webhook_id=eq.${id}&order=created_at.desc,id.desc`)).rows;
}

/** The only delivery of a webhook, once it has this status. */
export function waitForStatus(person: Pick<Person, "send">, webhook: Webhook, status: string): Promise<Row> {
  return eventually(
    async () => (await listDeliveries(person, webhook))[0] ?? {},
    (delivery) => delivery["status"] === status,
    `a delivery that is ${status}`,
  );
}

export async function listAttempts({ send }: Pick<Person, "send">, delivery: Row): Promise<Row[]> {
  return (await send(`GET /webhook_delivery_attempts?delivery_id=eq.${String(delivery["id"])}&order=attempt`)).rows;
}

export type CallFunction = (name: string, body: unknown) => Promise<TableAnswer>;

export function functionsOf({ send }: Pick<Person, "send">): CallFunction {
  return (name, body) => send(`POST /functions/v1/${name}`, { body });
}
