import { hash, randomUUID } from "node:crypto";
import type { TaskPushNotificationConfig } from "@a2a-js/sdk";
import { readRows, type TableRow } from "swarmbase/extension";
import { ProtocolError } from "./faults.ts";
import type { Session } from "./target.ts";
import { readTask, STATES, type Task } from "./tasks.ts";

/** The protocol names it for the token of a configuration. */
const TOKEN_HEADER = "X-A2A-Notification-Token";
/** The name of a webhook is this and the id of the configuration, which has at most 90 characters for that reason. */
const NAME_PREFIX = "a2a ";
const CONFIG_ID = /^[\x21-\x7e]{1,90}$/;

/** A configuration is a webhook of the task's run: the service signs, records and retries its notifications. */
type WebhookRow = TableRow<"webhooks", "name" | "url" | "run_id"> & Partial<TableRow<"webhooks", "headers">>;

/** An API key without the scope `secrets` gets configurations without their credentials. */
function selectFor(core: Session["core"]): string {
  return `select=name,url,run_id${core.hasScope("secrets") ? ",headers" : ""}`;
}

/** Checks a configuration before there is a task, so that no task runs whose client is told that it failed. */
export async function tryPushConfig({ core }: Session, config: TaskPushNotificationConfig): Promise<void> {
  checkPushConfig(config);
  await core.rest({ method: "POST", path: "/webhooks", body: webhookOf(config), isTrial: true });
}

function checkPushConfig({ id, url }: TaskPushNotificationConfig): void {
  if (id !== "" && !CONFIG_ID.test(id))
    throw new ProtocolError("INVALID_PARAMS", "The id of a configuration has 1 to 90 printable ASCII characters");
  if (URL.parse(url)?.protocol !== "https:")
    throw new ProtocolError("INVALID_PARAMS", "The url of a configuration must be an https URL");
}

export async function createPushConfig(session: Session, config: TaskPushNotificationConfig): Promise<object> {
  checkPushConfig(config);
  return storePushConfig(session, await readTask(session, config.taskId), config);
}

/** Replaces a configuration with the same id. */
export async function storePushConfig(
  { core, caller }: Session,
  { id: taskId, contextId }: Pick<Task, "id" | "contextId">,
  config: TaskPushNotificationConfig,
): Promise<object> {
  checkPushConfig(config);
  const configId = config.id === "" ? randomUUID() : config.id;
  const { body } = await core.rest({
    method: "POST",
    path: `/webhooks?${selectFor(core)}`,
    headers: { prefer: "return=representation,resolution=merge-duplicates" },
    body: {
      ...webhookOf({ ...config, id: configId }),
      id: webhookId(caller.userId, taskId, configId),
      run_id: taskId,
      // What is sent for each status of the run.
      bodies: Object.fromEntries(
        Object.entries(STATES).map(([status, state]) => [
          status,
          { statusUpdate: { taskId, contextId, status: { state } } },
        ]),
      ),
    },
  });
  const [row] = body as readonly WebhookRow[];
  if (row === undefined) throw new TypeError("a written webhook is returned");
  return toConfig(row);
}

function webhookOf({ id, url, token, authentication }: TaskPushNotificationConfig): object {
  return {
    name: `${NAME_PREFIX}${id}`,
    url,
    events: ["run.updated"],
    headers: {
      ...(token !== "" && { [TOKEN_HEADER]: token }),
      ...(authentication !== undefined && {
        Authorization: `${authentication.scheme} ${authentication.credentials}`.trim(),
      }),
    },
  };
}

export async function getPushConfig(session: Session, taskId: string, configId: string): Promise<object> {
  const { id } = await readTask(session, taskId);
  const [config] = await readConfigs(session, `id=eq.${webhookId(session.caller.userId, id, configId)}`);
  if (config === undefined) throw new ProtocolError("TASK_NOT_FOUND", "The task has no such configuration");
  return config;
}

/** The configurations of the caller. Few enough for one page: a user has at most 1,000 webhooks. */
export async function listPushConfigs(session: Session, taskId: string): Promise<object> {
  const { id } = await readTask(session, taskId);
  const configs = await readConfigs(session, `run_id=eq.${id}&name=like.${NAME_PREFIX}*&order=created_at,id`);
  return { configs, nextPageToken: "" };
}

/** Succeeds also when there is no such configuration. */
export async function deletePushConfig(session: Session, taskId: string, configId: string): Promise<null> {
  const { id } = await readTask(session, taskId);
  // A list of ids: to delete one by `eq` that does not exist is an error.
  const path = `/webhooks?id=in.(${webhookId(session.caller.userId, id, configId)})`;
  await session.core.rest({ method: "DELETE", path, headers: { prefer: "return=minimal" } });
  return null;
}

async function readConfigs({ core, caller }: Session, filter: string): Promise<readonly object[]> {
  const rows = await readRows<WebhookRow>(
    core,
    "/webhooks",
    `${selectFor(core)}&user_id=eq.${caller.userId}&${filter}`,
  );
  return rows.map(toConfig);
}

/** Two requests with the same id of a configuration write the same row. */
function webhookId(userId: string | null, taskId: string, configId: string): string {
  const digest = hash("sha256", `${userId}\n${taskId}\n${configId}`);
  // A UUID of version 8, whose bits are free.
  return digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-8$3-8$4-$5");
}

function toConfig({ name, url, headers = {}, run_id: taskId }: WebhookRow): object {
  const { [TOKEN_HEADER]: token, Authorization: authorization } = headers;
  const [scheme = "", ...credentials] = authorization?.split(" ") ?? [];
  return {
    id: name.slice(NAME_PREFIX.length),
    taskId,
    url,
    ...(token !== undefined && { token }),
    ...(authorization !== undefined && { authentication: { scheme, credentials: credentials.join(" ") } }),
  };
}
