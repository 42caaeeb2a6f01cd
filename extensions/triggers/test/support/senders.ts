import { createHmac, randomUUID } from "node:crypto";
import { sign } from "@octokit/webhooks-methods";
import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";

export interface SentCall {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SendOptions {
  readonly secret: string;
  /** The time that is signed. */
  readonly at?: Date;
  readonly headers?: Readonly<Record<string, string>>;
}

type Sender = (payload: unknown, options: SendOptions) => SentCall | Promise<SentCall>;

const stripe = new Stripe("sk_test_none");
const JSON_TYPE = { "content-type": "application/json" };

function toBody(payload: unknown): string {
  return typeof payload === "string" ? payload : JSON.stringify(payload);
}

function toSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1_000);
}

/** What each system sends, signed by its own library where there is one. */
export const SENDERS = {
  stripe: (payload, { secret, at = new Date(), headers }) => {
    const body = toBody(payload);
    const signature = stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp: toSeconds(at) });
    return { body, headers: { ...JSON_TYPE, "stripe-signature": signature, ...headers } };
  },
  github: async (payload, { secret, headers }) => {
    const body = toBody(payload);
    const sent = { "x-github-event": "issues", "x-github-delivery": randomUUID() };
    return { body, headers: { ...JSON_TYPE, ...sent, "x-hub-signature-256": await sign(secret, body), ...headers } };
  },
  slack: (payload, { secret, at = new Date(), headers }) => {
    const body = toBody(payload);
    const time = String(toSeconds(at));
    const signature = `v0=${createHmac("sha256", secret).update(`v0:${time}:${body}`).digest("hex")}`;
    const signed = { "x-slack-request-timestamp": time, "x-slack-signature": signature };
    return { body, headers: { ...JSON_TYPE, ...signed, ...headers } };
  },
  standard_webhooks: (payload, { secret, at = new Date(), headers }) => {
    const body = toBody(payload);
    const id = headers?.["webhook-id"] ?? `msg_${randomUUID()}`;
    const signature = new Webhook(secret).sign(id, at, body);
    const signed = { "webhook-id": id, "webhook-timestamp": String(toSeconds(at)), "webhook-signature": signature };
    return { body, headers: { ...JSON_TYPE, ...signed, ...headers } };
  },
  hmac: (payload, { secret, headers }) => {
    const body = toBody(payload);
    return {
      body,
      headers: { ...JSON_TYPE, "x-signature": createHmac("sha256", secret).update(body).digest("hex"), ...headers },
    };
  },
  bearer: (payload, { secret, headers }) => ({
    body: toBody(payload),
    headers: { ...JSON_TYPE, authorization: `Bearer ${secret}`, ...headers },
  }),
} as const satisfies Record<string, Sender>;

export type SenderKind = keyof typeof SENDERS;

/** A payload with the id where the sender puts it. */
export function payloadOf(kind: SenderKind, id: string = randomUUID()): Record<string, unknown> {
  return kind === "slack"
    ? { type: "event_callback", event_id: id, event: { type: "message", text: "hello" } }
    : { id, type: "order.paid", data: { object: { id: `order_${id}`, amount: 12.5, lines: [{ sku: "a" }] } } };
}
