import type { EventType } from "@swarmbase/sdk";
import type { Client } from "./client.ts";
import { unwrap } from "./failure.ts";
import type { TestAnswer } from "./webhooks.ts";
import { useWrite, type Write } from "./write.ts";

/** A webhook that exists only while a receiver is tested. */
export interface TestHook {
  readonly id: string;
  readonly secret: string;
}

const NAME = "Receiver test";
const TIMEOUT_MS = 10_000;

/** Creates the webhook whose secret the receiver has to know. */
export function useOpenReceiverTest(): Write<string, TestHook> {
  return useWrite({ tables: ["webhooks"], write: (client, url) => createHook(client, url) });
}

export function useCloseReceiverTest(): Write<string, void> {
  return useWrite({ tables: ["webhooks"], write: (client, id) => deleteHook(client, id) });
}

export interface ReceiverResult {
  readonly check: "accepts" | "rejects";
  readonly isPassed: boolean;
  readonly answer: TestAnswer;
}

interface ReceiverTest {
  readonly hook: TestHook;
  readonly url: string;
  readonly eventType: EventType;
}

/** Sends a signed event, which must be accepted, and one with a signature of another secret, which must not. */
export function useTestReceiver(): Write<ReceiverTest, readonly ReceiverResult[]> {
  return useWrite({
    tables: [],
    write: async (client, { hook, url, eventType }) => {
      const genuine = await sendTest(client, hook.id, eventType);
      const forger = await createHook(client, url);
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

async function createHook(client: Client, url: string): Promise<TestHook> {
  // It subscribes to an event that it never gets, because it is deleted before.
  const row = { name: NAME, url, events: ["agent.deleted" as const], retry_count: 0, timeout_ms: TIMEOUT_MS };
  return await unwrap(client.from("webhooks").insert(row).select("id, secret").single());
}

async function deleteHook(client: Client, id: string): Promise<void> {
  await unwrap(client.from("webhooks").delete().eq("id", id));
}

function sendTest(client: Client, id: string, eventType: EventType): Promise<TestAnswer> {
  const body = { webhook_id: id, event_type: eventType };
  return unwrap(client.functions.invoke<TestAnswer>("test-webhook", { body })) as Promise<TestAnswer>;
}
