import assert from "node:assert/strict";
import { eventually } from "./eventually.ts";
import { onlyRow, type Person, REPRESENTATION, type Row, type TableAnswer } from "./people.ts";
import type { Endpoint, Received } from "./receiver.ts";
import { apiErrorOf } from "./api-errors.ts";

export interface Webhook extends Row {
  readonly id: string;
  readonly secret: string;
}

export async function addWebhook({ send }: Person, url: string, row: Row = {}): Promise<Webhook> {
  const body = { name: "Hook", url, events: ["agent.created"], ...row };
  return onlyRow(await send("POST /webhooks", { body, headers: REPRESENTATION })) as Webhook;
}

/** Raises the event `agent.created` and returns the agent's id. */
export async function addAgent({ send }: Person, name = "Ada"): Promise<string> {
  const body = { name, framework: "provider_a" };
  return String(onlyRow(await send("POST /agents", { body, headers: REPRESENTATION }))["id"]);
}

/** Newest first. */
export async function listDeliveries({ send }: Pick<Person, "send">, { id }: Webhook): Promise<Row[]> {
  return (await send(`GET /webhook_deliveries?webhook_id=eq.${id}&order=created_at.desc,id.desc`)).rows;
}

/** Waits until the only delivery of a webhook has this status. */
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

export async function assertCallRejected(
  call: CallFunction,
  [name, body]: readonly [string, unknown],
  expected: readonly [status: number, code: string],
): Promise<void> {
  const { status, code } = apiErrorOf(await call(name, body));
  assert.deepEqual([status, code], expected, JSON.stringify(body));
}

/** A webhook with a delivery whose only attempt failed. */
export async function addFailed(person: Person, endpoint: Endpoint): Promise<{ webhook: Webhook; delivery: Row }> {
  const webhook = await addWebhook(person, endpoint.url, { retry_count: 0 });
  endpoint.answer({ status: 500, body: "broken" });
  await addAgent(person);
  return { webhook, delivery: await waitForStatus(person, webhook, "failed") };
}

export async function switchWebhook(
  { send }: Pick<Person, "send">,
  { id }: Webhook,
  is_active: boolean,
): Promise<void> {
  assert.equal((await send(`PATCH /webhooks?id=eq.${id}`, { body: { is_active } })).status, 204);
}

/** Deletes all webhooks of these users, so that later events are not sent. */
export async function removeWebhooks(...people: readonly Person[]): Promise<void> {
  for (const { id, send } of people) await send(`DELETE /webhooks?user_id=eq.${id}`);
}

export interface Envelope {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly api_version: string;
  readonly data: Row;
}

export function envelopeOf({ body }: Pick<Received, "body">): Envelope {
  return JSON.parse(body) as Envelope;
}
