import type { Row } from "./client.ts";

/** Members of payloads that name what an event is about, the best name first. */
const SUBJECTS = {
  name: "name",
  agent: "agent->>name",
  swarm: "swarm->>name",
  agent_name: "agent_name",
  tool_name: "tool_name",
  sender_name: "sender_name",
  run_id: "run_id",
  user_id: "user_id",
  agent_id: "agent_id",
  message_id: "message_id",
  any_id: "id",
} as const;
const NAMES = Object.entries(SUBJECTS).map(
  ([name, path]) => `about_${name}:payload->data->${path.includes("->>") ? path : `>${path}`}`,
);

export const LISTED = [
  "id, webhook_id, event_id, event_type, status, status_code, attempts, next_retry_at, scheduled_for, delivered_at, created_at",
  "test:payload->data->test",
  ...NAMES,
].join(", ");

/** A delivery without payload and response body. */
export interface ListedDelivery
  extends Omit<Row<"webhook_deliveries">, "user_id" | "payload" | "response_body">,
    Partial<Readonly<Record<`about_${keyof typeof SUBJECTS}`, string | null>>> {
  /** True for a test and its replays. */
  readonly test?: unknown;
}

/** What the event of a delivery is about: a name, or else an id. */
export function nameSubject(delivery: ListedDelivery): string {
  const names = (Object.keys(SUBJECTS) as (keyof typeof SUBJECTS)[]).map((name) => delivery[`about_${name}`]);
  return names.find((name) => typeof name === "string" && name !== "") ?? "–";
}
