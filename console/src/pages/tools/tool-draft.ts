import { isSameJson, type Json, type JsonObject, type ToolVisibility } from "@swarmbase/sdk";
import type { Tool, ToolDraft, ToolUpdate } from "../../data/tools.ts";
import { type AuthDraft, hasSecret, NO_AUTH, readAuth, writeAuth } from "./auth-draft.ts";
import { fromLines, type HeaderLine, toLines } from "../../components/header-lines.ts";

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
type Method = (typeof METHODS)[number];

/** The kinds that the form can edit. */
export const FORM_KINDS = ["http", "mcp", "rpc", "function", "swarm", "schedule"] as const;
type FormKind = (typeof FORM_KINDS)[number];
type ScheduleAction = "schedule" | "unschedule";

/** The values of the tool form. */
export interface ToolForm {
  readonly kind: FormKind;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly icon: string;
  readonly visibility: Exclude<ToolVisibility, "public">;
  readonly requiresApproval: boolean;
  readonly idempotent: boolean;
  readonly enabled: boolean;
  /** Null means the default of the service. */
  readonly timeoutMs: number | null;
  readonly maxOutputChars: number | null;
  readonly schema: JsonObject;
  readonly method: Method;
  readonly url: string;
  readonly remoteName: string;
  readonly headers: readonly HeaderLine[];
  /** Undefined means that the arguments are the body. */
  readonly body: Json | undefined;
  readonly auth: AuthDraft;
  /** Whether the server learns who asked. */
  readonly sendsAsker: boolean;
  /** Of the database, or of the app. */
  readonly functionName: string;
  /** Empty means `public`. */
  readonly functionSchema: string;
  readonly mayWrite: boolean;
  /** What a tool of the kind `schedule` does. */
  readonly action: ScheduleAction;
  readonly swarmId: string;
  /** Of each call; null means none. */
  readonly maxTokens: number | null;
  readonly maxCostUsd: number | null;
}

export const EMPTY_TOOL: ToolForm = {
  kind: "http",
  name: "",
  description: "",
  category: "",
  icon: "",
  visibility: "private",
  requiresApproval: false,
  idempotent: false,
  enabled: true,
  timeoutMs: null,
  maxOutputChars: null,
  schema: { type: "object", properties: {} },
  method: "GET",
  url: "",
  remoteName: "",
  headers: [],
  body: undefined,
  auth: NO_AUTH,
  sendsAsker: false,
  functionName: "",
  functionSchema: "",
  mayWrite: false,
  action: "schedule",
  swarmId: "",
  maxTokens: null,
  maxCostUsd: null,
};

export function formOf(tool: Tool): ToolForm {
  const { config } = tool;
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const budget = isJsonObject(config["budget"]) ? config["budget"] : {};
  const amount = (value: unknown) => (typeof value === "number" ? value : null);
  return {
    kind: FORM_KINDS.find((kind) => kind === tool.kind) ?? "http",
    name: tool.name,
    description: tool.description,
    category: tool.category ?? "",
    icon: tool.icon ?? "",
    visibility: tool.visibility === "shared" ? "shared" : "private",
    requiresApproval: tool.requires_approval,
    idempotent: tool.idempotent,
    enabled: tool.enabled,
    timeoutMs: tool.timeout_ms,
    maxOutputChars: tool.max_output_chars,
    schema: tool.input_schema,
    method: METHODS.find((method) => method === config["method"]) ?? "GET",
    url: text(config["url"]),
    remoteName: text(config["remote_name"]),
    headers: toLines(readHeaders(config["headers"])),
    body: config["body"],
    auth: readAuth(config["auth"]),
    sendsAsker: config["identity"] === "required",
    functionName: text(config["function"]),
    functionSchema: text(config["schema"]),
    mayWrite: config["writes"] === true,
    action: config["action"] === "unschedule" ? "unschedule" : "schedule",
    swarmId: text(config["swarm_id"]),
    maxTokens: amount(budget["max_tokens"]),
    maxCostUsd: amount(budget["max_cost_usd"]),
  };
}

function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a call works outside of a conversation. */
export function canBeTested({ kind }: Pick<ToolForm, "kind"> | Tool): boolean {
  return kind !== "swarm" && kind !== "schedule";
}

/** Whether the tool sends a request to a server. The others call a function, begin a sub-task, or create schedules. */
export function hasRequest({ kind }: Pick<ToolForm, "kind">): boolean {
  return kind === "http" || kind === "mcp";
}

export function renderConfig(form: ToolForm): JsonObject {
  if (form.kind === "swarm") return renderSubTask(form);
  if (form.kind === "schedule") return { action: form.action };
  if (!hasRequest(form)) return renderFunction(form);
  const auth = writeAuth(form.auth);
  const headers = fromLines(form.headers);
  return {
    url: form.url.trim(),
    ...(form.kind === "http" ? { method: form.method } : { remote_name: form.remoteName }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(form.kind === "http" && form.body !== undefined && { body: form.body }),
    ...(auth !== undefined && { auth }),
    ...(form.kind === "http" && form.sendsAsker && { identity: "required" }),
  };
}

function renderSubTask({ swarmId, maxTokens, maxCostUsd }: ToolForm): JsonObject {
  const budget = {
    ...(maxTokens !== null && { max_tokens: maxTokens }),
    ...(maxCostUsd !== null && { max_cost_usd: maxCostUsd }),
  };
  return { swarm_id: swarmId, ...(Object.keys(budget).length > 0 && { budget }) };
}

function renderFunction({ kind, functionName, functionSchema, mayWrite }: ToolForm): JsonObject {
  const schema = functionSchema.trim();
  return {
    function: functionName.trim(),
    ...(kind === "rpc" && schema !== "" && { schema }),
    ...(kind === "rpc" && mayWrite && { writes: true }),
  };
}

/** Only requests carry secrets. */
function usesSecret(form: ToolForm): boolean {
  return hasRequest(form) && hasSecret(form.auth);
}

function renderShared(form: ToolForm): ToolUpdate & Pick<ToolDraft, "name" | "description"> {
  return {
    name: form.name.trim(),
    description: form.description,
    category: form.category.trim() === "" ? null : form.category.trim(),
    icon: form.icon.trim() === "" ? null : form.icon.trim(),
    input_schema: form.schema,
    config: renderConfig(form),
    visibility: form.visibility,
    requires_approval: form.requiresApproval,
    idempotent: form.idempotent,
    enabled: form.enabled,
    ...(form.timeoutMs !== null && { timeout_ms: form.timeoutMs }),
    ...(form.maxOutputChars !== null && { max_output_chars: form.maxOutputChars }),
  };
}

export function renderNew(form: ToolForm): ToolDraft {
  const { secretName, value } = form.auth;
  const { description, input_schema: schema, ...shared } = renderShared(form);
  // The service fills them in if they are absent: from the database function, or as the kind says.
  const isDescribed = form.kind === "rpc" || form.kind === "swarm" || form.kind === "schedule";
  return {
    ...shared,
    ...((!isDescribed || description !== "") && { description }),
    ...((!isDescribed || !isSameJson(schema, EMPTY_TOOL.schema)) && { input_schema: schema }),
    kind: form.kind,
    ...(usesSecret(form) && value !== "" && { secrets: { [secretName]: value } }),
  } as ToolDraft;
}

/** An update replaces all secrets, so they are sent only if there is a new one or none is used any more. */
export function renderUpdate(form: ToolForm, tool: Tool): ToolUpdate {
  const { secretName, value } = form.auth;
  const isUnused = !usesSecret(form) && tool.secret_names.length > 0;
  return {
    ...renderShared(form),
    ...(usesSecret(form) && value !== "" && { secrets: { [secretName]: value } }),
    ...(isUnused && { secrets: {} }),
  };
}

export function isSameForm(left: ToolForm, right: ToolForm): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function readHeaders(headers: unknown): Record<string, string> {
  if (typeof headers !== "object" || headers === null) return {};
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Removes the prefix `config.` from field names, for the fields that the import also uses. */
export function errorsBelowConfig(errors: Readonly<Record<string, string>>): Record<string, string> {
  const below = Object.entries(errors).map(([name, message]) => [name.replace(/^config\./, ""), message]);
  return Object.fromEntries(below) as Record<string, string>;
}
