import { isUuid } from "@swarmbase/sdk";
import type { CommandFetch } from "swarmbase/extension";

export interface Account {
  readonly id: string;
  readonly email: string | null;
}

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
}

export type ServiceClient = ReturnType<typeof createServiceClient>;

export interface ServiceClientOptions {
  readonly service: Pick<CommandFetch, "fetch">;
  readonly url: string;
  readonly key: string;
}

const CALL_TIMEOUT_MS = 60_000;

/** Calls of the public interface that `listen` needs, as the service role. */
export function createServiceClient({ service, url, key }: ServiceClientOptions) {
  const send = async (method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> => {
    const headers = {
      apikey: key,
      authorization: `Bearer ${key}`,
      prefer: "return=representation",
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const target = `${url.replace(/\/$/, "")}${path}`;
    const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    try {
      const response = await service.fetch(target, { method, headers, signal, ...text });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      throw new Error(`The service does not answer at ${url}. Is it running?`, { cause: error });
    }
  };
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await send(method, path, body);
    if (answer.status >= 300) throw new Error(describeRejection(answer));
    return JSON.parse(answer.text);
  };

  return {
    /** Finds up to two accounts with this e-mail address or id, or any when none is named. */
    async findAccounts(named: string | null): Promise<Account[]> {
      if (isUuid(named)) {
        const answer = await send("GET", `/auth/v1/admin/users/${named}`);
        if (answer.status === 404) return [];
        if (answer.status >= 300) throw new Error(describeRejection(answer));
        return [JSON.parse(answer.text) as Account];
      }
      const filter = named === null ? "" : `&email=${encodeURIComponent(named)}`;
      const { users } = (await call("GET", `/auth/v1/admin/users?per_page=2${filter}`)) as { users: Account[] };
      return users;
    },
    async findWebhooks(userId: string, name: string): Promise<Webhook[]> {
      const filter = `user_id=eq.${userId}&name=eq.${encodeURIComponent(name)}&select=id,url,secret`;
      return (await call("GET", `/rest/v1/webhooks?${filter}`)) as Webhook[];
    },
    async addWebhook(webhook: { user_id: string; name: string; url: string; events: readonly string[] }) {
      const [added] = (await call("POST", "/rest/v1/webhooks?select=id,url,secret", webhook)) as Webhook[];
      if (added === undefined) throw new Error("The service created no webhook.");
      return added;
    },
    async removeWebhook(id: string): Promise<void> {
      const answer = await send("DELETE", `/rest/v1/webhooks?id=eq.${id}`);
      // It may have been removed already.
      if (answer.status >= 300 && answer.status !== 404) throw new Error(describeRejection(answer));
    },
    /** Sends a sample of the event, and rejects when it does not arrive. */
    async testWebhook(webhookId: string, eventType: string): Promise<void> {
      const body = { webhook_id: webhookId, event_type: eventType };
      const tested = (await call("POST", "/functions/v1/test-webhook", body)) as { success: boolean; error?: string };
      if (!tested.success) throw new Error(tested.error ?? "The sample was not accepted.");
    },
  };
}

/** Returns the error message of the service when there is one. */
function describeRejection({ status, text }: { status: number; text: string }): string {
  const message = /"message":("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  return message === undefined ? `The service answered ${status}: ${text}` : String(JSON.parse(message));
}
