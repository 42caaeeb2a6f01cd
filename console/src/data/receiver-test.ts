import type { AnyEventType } from "./event-types.ts";
import { type Client, getConfig } from "./client.ts";
import { unwrap } from "./failure.ts";
import { getAccessToken } from "./session.ts";
import type { TestAnswer } from "./webhooks.ts";
import { once, useWrite, type Write } from "./write.ts";

/** A webhook that exists only while a receiver is tested. */
export interface TestHook {
  readonly id: string;
  readonly secret: string;
}

const NAME = "Receiver test";
/** Tells the webhooks of this page from those that somebody has given the same name. Receivers get it as a header. */
const MARK = "X-Receiver-Test";
/** A page that was opened earlier has crashed, or lost its connection: it removes its webhook itself otherwise. */
const LEFT_BEHIND_MS = 1_800_000;
const TIMEOUT_MS = 10_000;

/** Creates the webhook whose secret the receiver has to know. */
export function useOpenReceiverTest(): Write<string, TestHook> {
  return useWrite({
    tables: ["webhooks"],
    write: async (client, url, key) => {
      await deleteLeftBehind(client);
      return createHook(client, url, key);
    },
  });
}

export function useCloseReceiverTest(): Write<string, void> {
  return useWrite({ tables: ["webhooks"], write: (client, id) => deleteHook(client, id) });
}

/** Deletes the webhook of a page that is being closed, which waits for no response. */
export function closeReceiverTestAtOnce(id: string): void {
  const { url, anonKey } = getConfig();
  void fetch(`${url}/rest/v1/webhooks?id=eq.${id}`, {
    method: "DELETE",
    keepalive: true,
    headers: { apikey: anonKey, authorization: `Bearer ${getAccessToken() ?? ""}` },
  }).catch(() => {});
}

export interface ReceiverResult {
  readonly check: "accepts" | "rejects";
  readonly isPassed: boolean;
  readonly answer: TestAnswer;
}

interface ReceiverTest {
  readonly hook: TestHook;
  readonly url: string;
  readonly eventType: AnyEventType;
}

/** Sends a signed event, which must be accepted, and one with a signature of another secret, which must not. */
export function useTestReceiver(): Write<ReceiverTest, readonly ReceiverResult[]> {
  return useWrite({
    tables: [],
    write: async (client, { hook, url, eventType }, key) => {
      const genuine = await sendTest(client, hook.id, eventType);
      const forger = await createHook(client, url, key);
      try {
        const forged = await sendTest(client, forger.id, eventType);
        const { status_code: status } = forged;
        return [
          { check: "accepts", isPassed: genuine.success, answer: genuine },
          { check: "rejects", isPassed: status !== null && status >= 400 && status < 500, answer: forged },
        ];
      } finally {
        await deleteHook(client, forger.id);
      }
    },
  });
}

async function createHook(client: Client, url: string, key: string): Promise<TestHook> {
  // It subscribes to an event that it never gets, because it is deleted before.
  const row = {
    name: NAME,
    url,
    events: ["agent.deleted" as const],
    retry_count: 0,
    timeout_ms: TIMEOUT_MS,
    headers: { [MARK]: "true" },
  };
  return await unwrap(once(client.from("webhooks").insert(row).select("id, secret").single(), key));
}

async function deleteHook(client: Client, id: string): Promise<void> {
  await unwrap(client.from("webhooks").delete().eq("id", id));
}

async function deleteLeftBehind(client: Client): Promise<void> {
  const before = new Date(Date.now() - LEFT_BEHIND_MS).toISOString();
  await unwrap(client.from("webhooks").delete().eq(`headers->>${MARK}`, "true").lt("created_at", before));
}

function sendTest(client: Client, id: string, eventType: AnyEventType): Promise<TestAnswer> {
  const body = { webhook_id: id, event_type: eventType };
  return unwrap(client.functions.invoke<TestAnswer>("test-webhook", { body })) as Promise<TestAnswer>;
}
