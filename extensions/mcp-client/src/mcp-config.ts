import { AppError, findCustomHeaderFault, isLoopbackUrl, isRecord, type ToolConfigFault } from "swarmbase/extension";
import { z } from "zod";

const headerNameSchema = z.string().superRefine((name, context) => {
  const fault = findCustomHeaderFault({ [name]: "x" });
  if (fault !== null) context.addIssue({ code: "custom", message: fault });
});

/** How a request sends the tool's secrets. */
const authSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("bearer"), secret: z.string() }),
  z.strictObject({ type: z.literal("basic"), username: z.string().max(200), secret: z.string() }),
  z.strictObject({ type: z.literal("header"), header: headerNameSchema, secret: z.string() }),
  /** The tokens are those of the owner's authorization, or of an account of the starter of the run, not secrets of the tool. */
  z.strictObject({ type: z.literal("oauth"), account: z.enum(["owner", "asker"]).optional() }),
]);

const headersSchema = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const fault = findCustomHeaderFault(headers);
  const isSecret = Object.keys(headers).some((name) => /^(?:authorization|cookie)$/i.test(name));
  if (fault !== null) context.addIssue({ code: "custom", message: fault });
  else if (isSecret) context.addIssue({ code: "custom", message: "must not hold credentials: use auth and secrets" });
});

const remoteSchema = z.strictObject({
  url: z.string().superRefine((url, context) => {
    const fault = findFormFault(url);
    if (fault !== null) context.addIssue({ code: "custom", message: fault });
  }),
  remote_name: z.string().min(1).max(256),
  headers: headersSchema.default({}),
  auth: authSchema.optional(),
});

/** A server that the operator has listed: it has no address, and gets no secrets of users. */
const programSchema = z.strictObject({
  server: z.string().min(1).max(64),
  remote_name: z.string().min(1).max(256),
});

export type McpAuth = z.infer<typeof authSchema>;
export type McpConfig = z.infer<typeof remoteSchema> | z.infer<typeof programSchema>;

type ReadConfig =
  | { readonly ok: true; readonly config: McpConfig }
  | { readonly ok: false; readonly faults: readonly ToolConfigFault[] };

/** The schema is chosen by the members, so that the faults are those of one form. */
export function readConfig(config: unknown): ReadConfig {
  const isProgram = isRecord(config) && Object.hasOwn(config, "server");
  const schema: z.ZodType<McpConfig> = isProgram ? programSchema : remoteSchema;
  const read = schema.safeParse(config);
  if (read.success) return { ok: true, config: read.data };
  const faults = read.error.issues.map(({ path, message }) => ({
    path: path.map(String).join("."),
    message,
    isUrl: path[0] === "url",
  }));
  return { ok: false, faults };
}

/** Throws an error for the caller who has described a server. */
export function requireConfig(config: unknown): McpConfig {
  const read = readConfig(config);
  if (read.ok) return read.config;
  throw new AppError("VALIDATION_ERROR", "The description of the MCP server is not valid", {
    details: Object.fromEntries(read.faults.map(({ path, message }) => [path === "" ? "body" : path, message])),
  });
}

/** Whether the address may be reached is checked elsewhere. */
function findFormFault(url: string): string | null {
  const [, scheme = "", authority = ""] = /^(https?):\/\/([^/?#]+)/i.exec(url) ?? [];
  const isSecure = scheme.toLowerCase() === "https" || isLoopbackUrl(url);
  if (authority === "" || !isSecure) return "must begin with https:// and a host";
  if (/[{}]/.test(url)) return "must not have placeholders";
  if (url.includes("#")) return "must not have a fragment";
  return URL.canParse(url) ? null : "must be a valid URL";
}
