import type { DeliveryStatus, JsonObject } from "@swarmbase/sdk";
import type { AnyEventType } from "./event-types.ts";
import type { Row } from "./client.ts";
import { unwrap } from "./failure.ts";
import { containsText, type Sort, sortAfter } from "./keyset.ts";
import { useLiveTable } from "./live.ts";
import { isPortal } from "./portal.ts";
import { type Pages, type ReadResult, usePages, useRow, useRows } from "./rows.ts";
import { once, useWrite, type Write } from "./write.ts";

const COLUMNS =
  "id, name, url, events, is_active, header_names, filter, retry_count, timeout_ms, api_version, disabled_reason, disabled_at, created_at, updated_at";

/** Without the secret, which is read only to be shown. The portal may not read the values of headers. */
export function webhookColumns(): string {
  return isPortal() ? COLUMNS : `${COLUMNS}, headers`;
}

export interface Webhook
  extends Omit<Row<"webhooks">, "secret" | "user_id" | "run_id" | "bodies" | "receives_app_events" | "headers"> {
  readonly header_names: readonly string[];
  /** Absent in the portal. */
  readonly headers?: Row<"webhooks">["headers"];
}

export interface ListedWebhook extends Webhook {
  /** The newest delivery, if any. */
  readonly last: readonly { readonly status: DeliveryStatus; readonly created_at: string }[];
}

export const WEBHOOK_STATES = ["all", "active", "off", "disabled"] as const;
/** `off`: disabled by its owner. `disabled`: disabled by the service, with a reason. */
export type WebhookState = (typeof WEBHOOK_STATES)[number];

interface WebhookFilter {
  readonly search: string;
  readonly state: WebhookState;
  readonly sort: Sort;
}

export function useWebhooks({ search, state, sort }: WebhookFilter): Pages<ListedWebhook> {
  useLiveTable("webhooks");
  return usePages<ListedWebhook>({
    table: "webhooks",
    key: ["list", search, state, sort],
    read: (client, { last, size }) => {
      let query = client
        .from("webhooks")
        .select(`${webhookColumns()}, last:webhook_deliveries(status, created_at)`)
        // Those of single runs come and go with them.
        .is("run_id", null);
      if (state === "active") query = query.eq("is_active", true);
      if (state === "off") query = query.eq("is_active", false).is("disabled_reason", null);
      if (state === "disabled") query = query.not("disabled_reason", "is", null);
      if (search !== "") query = query.or(containsText(["name", "url"], search));
      return sortAfter(query, sort, last)
        .limit(size)
        .order("created_at", { ascending: false, referencedTable: "last" })
        .limit(1, { referencedTable: "last" });
    },
  });
}

export function useWebhook(id: string): ReadResult<Webhook> {
  useLiveTable("webhooks");
  return useRow("webhooks", id, { columns: webhookColumns() });
}

/** The webhooks to which an event can be replayed. */
export function useWebhookNames(): ReadResult<readonly { id: string; name: string; is_active: boolean }[]> {
  useLiveTable("webhooks");
  return useRows({
    table: "webhooks",
    key: ["names"],
    read: (client) =>
      client.from("webhooks").select("id, name, is_active").is("run_id", null).order("name").limit(1_000),
  });
}

export interface WebhookDraft {
  readonly name: string;
  readonly url: string;
  readonly events: readonly AnyEventType[];
  readonly is_active: boolean;
  /** Absent means that they stay as they are. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly filter: JsonObject | null;
  readonly retry_count: number;
  readonly timeout_ms: number;
}

interface MadeWebhook extends Pick<Webhook, "id" | "name"> {
  /** The portal reads it with the new row, and never again. */
  readonly secret?: string;
}

export function useCreateWebhook(): Write<WebhookDraft, MadeWebhook> {
  return useWrite({
    tables: ["webhooks"],
    write: (client, draft, key) => {
      const columns = isPortal() ? "id, name, secret" : "id, name";
      return unwrap(
        once(client.from("webhooks").insert(asRow(draft)).select<string, MadeWebhook>(columns).single(), key),
      );
    },
  });
}

/** Reads the secret without caching it. */
export function useRevealSecret(): Write<string, string> {
  return useWrite({
    tables: [],
    write: async (client, id) => (await unwrap(client.from("webhooks").select("secret").eq("id", id).single())).secret,
  });
}

export interface NewSecret {
  readonly new_secret: string;
  /** Until when the previous secret also signs; null when it does not. */
  readonly previous_secret_expires_at: string | null;
}

export function useRegenerateSecret(): Write<{ readonly id: string; readonly graceSeconds: number }, NewSecret> {
  return useWrite({
    tables: ["webhook_previous_secrets"],
    write: (client, { id, graceSeconds }) => {
      const body = { action: "regenerate_secret", webhook_id: id, grace_period_seconds: graceSeconds };
      return unwrap(client.functions.invoke<NewSecret>("webhooks", { body })) as Promise<NewSecret>;
    },
  });
}

/** The replaced secrets that still sign, the last to expire first. */
export function usePreviousSecrets(webhookId: string): ReadResult<readonly Row<"webhook_previous_secrets">[]> {
  return useRows({
    table: "webhook_previous_secrets",
    key: ["of", webhookId],
    read: (client) =>
      client
        .from("webhook_previous_secrets")
        .select("*")
        .eq("webhook_id", webhookId)
        .order("expires_at", { ascending: false }),
  });
}

/** Ends all replaced secrets. */
export function useRevokePreviousSecrets(): Write<string, { readonly revoked: number }> {
  return useWrite({
    tables: ["webhook_previous_secrets"],
    write: (client, id) => {
      const body = { action: "revoke_previous_secrets", webhook_id: id };
      return unwrap(client.functions.invoke<{ revoked: number }>("webhooks", { body })) as Promise<{ revoked: number }>;
    },
  });
}

export interface TestAnswer {
  readonly success: boolean;
  readonly delivery_id: string;
  readonly status_code: number | null;
  readonly response_time_ms: number;
  readonly response_body: string | null;
  /** The error message, when there was no response. */
  readonly error?: string | null;
}

export function useTestWebhook(): Write<{ readonly id: string; readonly eventType: AnyEventType }, TestAnswer> {
  return useWrite({
    tables: [],
    write: (client, { id, eventType }) => {
      const body = { webhook_id: id, event_type: eventType };
      return unwrap(client.functions.invoke<TestAnswer>("test-webhook", { body })) as Promise<TestAnswer>;
    },
  });
}

export interface TestedEvent {
  readonly event_id: string;
  readonly type: string;
  readonly created_at: string;
  readonly passes: boolean;
}

/** Which of the last events a filter would let pass. */
export function useTestFilter(): Write<JsonObject, { readonly events: readonly TestedEvent[] }> {
  return useWrite({
    tables: [],
    write: (client, filter) => {
      const body = { action: "test_filter", filter };
      return unwrap(client.functions.invoke<{ events: TestedEvent[] }>("webhooks", { body })) as Promise<{
        events: TestedEvent[];
      }>;
    },
  });
}

/** The client's types require mutable arrays and records. */
function asRow<Draft extends Partial<WebhookDraft>>(draft: Draft) {
  const { events, headers, ...rest } = draft;
  return {
    ...rest,
    ...(events !== undefined && { events: [...events] }),
    ...(headers !== undefined && { headers: { ...headers } }),
  } as Omit<Draft, "events" | "headers"> & { events: AnyEventType[]; headers?: Record<string, string> };
}
