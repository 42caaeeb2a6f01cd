import { createHash } from "node:crypto";
import { StreamResponse, type Task, type TaskPushNotificationConfig } from "@a2a-js/sdk";
import { ProtocolError } from "./faults.ts";
import type { Session } from "./target.ts";
import { readTask, renderStatus, STATES } from "./tasks.ts";

/** The protocol names it for the token of a configuration. */
const TOKEN_HEADER = "X-A2A-Notification-Token";
/** The name of a webhook is this and the id of the configuration, which has at most 90 characters for that reason. */
const NAME_PREFIX = "a2a ";
const CONFIG_ID = /^[\x21-\x7e]{1,90}$/;
const COLUMNS = "name,url,headers,run_id";

/** A configuration is a webhook of the task's run: the service signs, records and retries its notifications. */
interface WebhookRow {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly run_id: string;
}

/** Checks what can be checked before there is a task. */
export function checkPushConfig({ id, url }: TaskPushNotificationConfig): void {
  if (id !== "" && !CONFIG_ID.test(id))
    throw new ProtocolError("INVALID_PARAMS", "The id of a configuration has 1 to 90 printable ASCII characters");
  if (URL.parse(url)?.protocol !== "https:")
    throw new ProtocolError("INVALID_PARAMS", "The url of a configuration must be an https URL");
}

export async function createPushConfig(
  session: Session,
  config: TaskPushNotificationConfig,
): Promise<TaskPushNotificationConfig> {
  checkPushConfig(config);
  return storePushConfig(session, await readTask(session, config.taskId, { hasArtifacts: false }), config);
}

/** Replaces a configuration with the same id. */
export async function storePushConfig(
  { core, userId }: Session,
  task: Pick<Task, "id" | "contextId">,
  config: TaskPushNotificationConfig,
): Promise<TaskPushNotificationConfig> {
  const { id: configId = crypto.randomUUID() } = config.id === "" ? {} : config;
  const { token, authentication } = config;
  const { body } = await core.rest({
    method: "POST",
    path: `/webhooks?select=${COLUMNS}`,
    headers: { prefer: "return=representation,resolution=merge-duplicates" },
    body: {
      id: webhookId(userId, task.id, configId),
      name: `${NAME_PREFIX}${configId}`,
      url: config.url,
      events: ["run.updated"],
      headers: {
        ...(token !== "" && { [TOKEN_HEADER]: token }),
        ...(authentication !== undefined && {
          Authorization: `${authentication.scheme} ${authentication.credentials}`.trim(),
        }),
      },
      run_id: task.id,
      bodies: renderBodies(task),
    },
  });
  const [row] = body as readonly WebhookRow[];
  if (row === undefined) throw new TypeError("a written webhook is returned");
  return toConfig(row);
}

export async function getPushConfig(
  session: Session,
  taskId: string,
  configId: string,
): Promise<TaskPushNotificationConfig> {
  const { id } = await readTask(session, taskId, { hasArtifacts: false });
  const [row] = await readRows(session, `id=eq.${webhookId(session.userId, id, configId)}`);
  if (row === undefined) throw new ProtocolError("TASK_NOT_FOUND", "The task has no such configuration");
  return toConfig(row);
}

/** The configurations of the caller. Few enough for one page: a user has at most 1,000 webhooks. */
export async function listPushConfigs(session: Session, taskId: string): Promise<TaskPushNotificationConfig[]> {
  const { id } = await readTask(session, taskId, { hasArtifacts: false });
  const rows = await readRows(session, `run_id=eq.${id}&name=like.${NAME_PREFIX}*&order=created_at,id`);
  return rows.map(toConfig);
}

/** Succeeds also when there is no such configuration. */
export async function deletePushConfig(session: Session, taskId: string, configId: string): Promise<void> {
  const { id } = await readTask(session, taskId, { hasArtifacts: false });
  // A list of ids: to delete one by `eq` that does not exist is an error.
  const path = `/webhooks?id=in.(${webhookId(session.userId, id, configId)})`;
  await session.core.rest({ method: "DELETE", path, headers: { prefer: "return=minimal" } });
}

async function readRows({ core, userId }: Session, filter: string): Promise<readonly WebhookRow[]> {
  const path = `/webhooks?select=${COLUMNS}&user_id=eq.${userId}&${filter}`;
  return (await core.rest({ method: "GET", path })).body as readonly WebhookRow[];
}

/** Two requests with the same id of a configuration write the same row. */
function webhookId(userId: string, taskId: string, configId: string): string {
  const hash = createHash("sha256").update(`${userId}\n${taskId}\n${configId}`).digest("hex");
  // A UUID of version 8, whose bits are free.
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return [...parts, hash.slice(20, 32)].join("-");
}

/** What is sent for each status of the run. */
function renderBodies({ id: taskId, contextId }: Pick<Task, "id" | "contextId">): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(STATES).map(([status, state]) => {
      const value = { taskId, contextId, status: renderStatus(state, undefined), metadata: undefined };
      return [status, StreamResponse.toJSON({ payload: { $case: "statusUpdate", value } })];
    }),
  );
}

function toConfig({ name, url, headers, run_id: taskId }: WebhookRow): TaskPushNotificationConfig {
  const { [TOKEN_HEADER]: token = "", Authorization: authorization } = headers;
  const [scheme = "", ...credentials] = authorization?.split(" ") ?? [];
  return {
    tenant: "",
    id: name.slice(NAME_PREFIX.length),
    taskId,
    url,
    token,
    authentication: authorization === undefined ? undefined : { scheme, credentials: credentials.join(" ") },
  };
}
