import { isUuid } from "@swarmbase/sdk";
import { useOperator, useOperatorRead } from "./operator.ts";
import { useRows } from "./rows.ts";

/** Tables of rows with names and pages. */
export const NAMED = {
  agents: { kind: "Agents", detail: "role" },
  swarms: { kind: "Swarms", detail: "description" },
  tools: { kind: "Tools", detail: "description" },
  webhooks: { kind: "Webhooks", detail: "url" },
  triggers: { kind: "Triggers", detail: "message" },
  schedules: { kind: "Schedules", detail: "message" },
  guardrails: { kind: "Guardrails", detail: "kind" },
  eval_datasets: { kind: "Evals", detail: "description" },
} as const;

export interface Found {
  /** The heading of its group. */
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  /** The page of it. */
  readonly to: string;
}

/** The pages of settings, which no list has. */
export const SEARCHED_PAGES: readonly Found[] = Object.entries({
  "/account": ["Profile", "Account, name, appearance, theme"],
  "/account/security": ["Sign-in", "Account, password, passkeys, second factor, recovery codes"],
  "/account/sessions": ["Sessions", "Account, devices"],
  "/account/connections": ["Connections", "Account, servers of tools"],
  "/account/signing": ["Request signing", "Account, secret"],
  "/webhooks/event-types": ["Event types", "Webhooks"],
  "/webhooks/feeds": ["Event feeds", "Webhooks"],
  "/webhooks/tester": ["Test a receiver", "Webhooks"],
  "/operator/users": ["Users", "Operator, accounts"],
  "/operator/tables": ["Tables", "Operator"],
  "/operator/logs": ["Logs", "Operator"],
  "/operator/metrics": ["Metrics", "Operator, latency"],
  "/operator/nodes": ["Nodes and backups", "Operator, restore"],
  "/operator/services": ["Services", "Operator, mail, models, sign-in"],
  "/operator/programs": ["Programs", "Operator, connected programs"],
  "/operator/settings": ["Settings", "Operator, environment variables"],
  "/operator/audit": ["Audit log", "Operator"],
}).map(([to, [title = "", detail = ""]]) => ({ kind: "Settings", id: to, title, detail, to }));

/** The run with this id, if the text is one. */
export function useRunById(text: string): readonly Found[] {
  const id = text.trim();
  const { rows } = useRows({
    table: "runs",
    key: ["search", id],
    isOn: isUuid(id),
    reloadsItself: true,
    read: (client) =>
      client
        .from("runs")
        .select("id, status, swarms!inner(name), question:messages!runs_message_id_fkey(content)")
        .eq("id", id)
        .limit(1),
  });
  if (!isUuid(id)) return [];
  return (rows ?? []).map((run) => ({
    kind: "Runs",
    id: run.id,
    title: run.question?.content ?? "Deleted question",
    detail: `${run.status.replace("_", " ")} in ${run.swarms.name}`,
    to: `/runs/${run.id}`,
  }));
}

const MAX_DELIVERIES = 5;
const MIN_ADDRESS_CHARS = 2;
/** Ids of events and messages have a prefix in envelopes and headers. */
const PREFIX = /^(?:evt|msg)_/u;

/** The deliveries with this id, or of the event with it. */
export function useDeliveriesById(text: string): readonly Found[] {
  const id = text.trim().toLowerCase().replace(PREFIX, "");
  const { rows } = useRows({
    table: "webhook_deliveries",
    key: ["search", id],
    isOn: isUuid(id),
    read: (client) =>
      client
        .from("webhook_deliveries")
        .select("id, webhook_id, event_type, status")
        .or(`id.eq.${id},event_id.eq.${id}`)
        .limit(MAX_DELIVERIES),
  });
  if (!isUuid(id)) return [];
  return (rows ?? []).map(({ id: found, webhook_id: webhookId, event_type: title, status }) => ({
    kind: "Deliveries",
    id: found,
    title,
    detail: status,
    to: `/webhooks/${webhookId}/deliveries/${found}`,
  }));
}

/** The accounts of the service, which only operators may search. */
export function useUsers(text: string): readonly Found[] {
  const { rows: operator } = useOperator();
  const isOn = operator?.isOperator === true && operator.lacks === null && text.length >= MIN_ADDRESS_CHARS;
  const { rows } = useOperatorRead<{
    readonly users: readonly { readonly id: string; readonly email: string | null }[];
  }>(`/users?search=${encodeURIComponent(text)}`, { isOn });
  if (!isOn) return [];
  return (rows?.users ?? []).map(({ id, email }) => ({
    kind: "Users",
    id,
    title: email ?? id,
    detail: "Account",
    to: `/operator/users/${id}`,
  }));
}
