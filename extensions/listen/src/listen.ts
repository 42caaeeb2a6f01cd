import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type EventType, WEBHOOK_HEADERS } from "@swarmbase/sdk";
import type { LocalCertificate } from "swarmbase/extension";
import type { Forward } from "./forwarder.ts";
import { messageOf } from "./message-of.ts";
import { type Delivered, isAbandoned, openReceiver, type Receiver, type ReceiverAnswer } from "./receiver.ts";
import type { Account, ServiceClient, Webhook } from "./service-client.ts";

export interface ListenOptions {
  readonly forwardUrl: URL | null;
  readonly events: readonly EventType[];
  /** E-mail address or id. */
  readonly user: string | null;
  readonly showsBodies: boolean;
}

export interface ListenTools {
  readonly certificate: LocalCertificate;
  readonly service: ServiceClient;
  readonly forward: Forward | null;
  readonly stdout: NodeJS.WritableStream;
  now(): Date;
  readonly signal: AbortSignal;
}

const NAME = "swarmbase listen";

/** Creates the webhook, and removes it when the signal aborts. */
export async function listen(options: ListenOptions, tools: ListenTools): Promise<void> {
  const { service, stdout, signal } = tools;
  const account = await getAccount(service, options.user);
  await removeAbandoned(service, account);

  let isTesting = true;
  const path = `/${randomBytes(16).toString("base64url")}`;
  const receiver = await openReceiver(tools.certificate, path, async (delivered, closed) =>
    isTesting && isSample(delivered) ? { status: 200 } : showDelivery(options, tools, delivered, closed),
  );
  let webhook: Webhook | null = null;
  try {
    webhook = await addWebhook(options, tools, account, receiver);
    isTesting = false;
    stdout.write(renderStart(options, account, webhook));
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    await receiver.close();
    if (webhook !== null) await removeOwn(service, webhook);
  }
  stdout.write("The webhook was removed.\n");
}

async function getAccount(service: ServiceClient, named: string | null): Promise<Account> {
  const [account, another] = await service.findAccounts(named);
  if (account === undefined) {
    throw new Error(
      named === null ? "There is no account yet, so there are no events." : `There is no account ${named}.`,
    );
  }
  if (another !== undefined) throw new Error("There are several accounts: name one with --user.");
  return account;
}

async function removeOwn(service: ServiceClient, { id }: Webhook): Promise<void> {
  try {
    await service.removeWebhook(id);
  } catch (error) {
    throw new Error(`The webhook ${id} remains until the next "swarmbase listen": ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Removes the webhooks of earlier runs that were killed. */
async function removeAbandoned(service: ServiceClient, { id }: Account): Promise<void> {
  for (const webhook of await service.findWebhooks(id, NAME)) {
    if (await isAbandoned(webhook.url)) await service.removeWebhook(webhook.id);
  }
}

/** Sends a sample first, so that an unreachable receiver is detected now and not at the first event. */
async function addWebhook(
  { events }: ListenOptions,
  { service, certificate }: ListenTools,
  { id }: Account,
  { url }: Receiver,
): Promise<Webhook> {
  let webhook: Webhook | null = null;
  try {
    webhook = await service.addWebhook({ user_id: id, name: NAME, url, events });
    const [event = "agent.created"] = events;
    await service.testWebhook(webhook.id, event);
    return webhook;
  } catch (error) {
    if (webhook !== null) await removeOwn(service, webhook);
    throw new Error(
      `The service cannot deliver to this machine: ${messageOf(error)}\n` +
        `It must be allowed to reach ${new URL(url).hostname} (WEBHOOK_ALLOWED_CIDRS) and trust ${certificate.caFile} (WEBHOOK_CA_FILE).`,
      { cause: error },
    );
  }
}

function isSample({ body }: Delivered): boolean {
  const { data } = JSON.parse(body.toString()) as { data: { test?: unknown } };
  return data.test === true;
}

async function showDelivery(
  { showsBodies }: ListenOptions,
  { forward, stdout, now }: ListenTools,
  { headers, body }: Delivered,
  signal: AbortSignal,
): Promise<ReceiverAnswer> {
  const time = now().toISOString().slice(11, 23);
  const type = String(headers[WEBHOOK_HEADERS.event.toLowerCase()]);
  const delivery = String(headers[WEBHOOK_HEADERS.delivery.toLowerCase()]);
  const startedAtMs = performance.now();
  const [answer, outcome] = await answerDelivery(forward, { headers, body }, signal);
  const tookMs = Math.round(performance.now() - startedAtMs);
  const line = `${time}  ${type}  ${delivery}  ${outcome}${forward === null ? "" : ` (${tookMs} ms)`}\n`;
  stdout.write(showsBodies ? `${line}${body.toString()}\n` : line);
  return answer;
}

async function answerDelivery(
  forward: Forward | null,
  { headers, body }: Delivered,
  signal: AbortSignal,
): Promise<[ReceiverAnswer, outcome: string]> {
  if (forward === null) return [{ status: 200 }, "received"];
  try {
    const answer = await forward(headers, body, signal);
    return [answer, `forwarded: ${answer.status}`];
  } catch (error) {
    return [{ status: 502, body: messageOf(error) }, `not forwarded: ${messageOf(error)}`];
  }
}

function renderStart({ forwardUrl, events }: ListenOptions, { id, email }: Account, { secret }: Webhook): string {
  return [
    `Listening to the events of ${email ?? id}: ${events.join(", ")}`,
    `Secret:  ${secret}`,
    ...(forwardUrl === null ? [] : [`Forward: ${forwardUrl.href}`]),
    "Ctrl-C ends it.",
    "",
    "",
  ].join("\n");
}
