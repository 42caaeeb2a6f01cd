import { z } from "zod";
import { findCustomHeaderFault } from "../../../outbound/index.ts";

const headerNameSchema = z.string().superRefine((name, context) => {
  const fault = findCustomHeaderFault({ [name]: "x" });
  if (fault !== null) context.addIssue({ code: "custom", message: fault });
});

/** How a request sends the tool's secrets. */
const authSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("bearer"), secret: z.string() }),
  z.strictObject({ type: z.literal("basic"), username: z.string().max(200), secret: z.string() }),
  z.strictObject({ type: z.literal("header"), header: headerNameSchema, secret: z.string() }),
  z.strictObject({ type: z.literal("query"), parameter: z.string().min(1).max(100), secret: z.string() }),
]);

const urlSchema = z.string().superRefine((url, context) => {
  const fault = findTemplateFault(url);
  if (fault !== null) context.addIssue({ code: "custom", message: fault, params: { isUrl: true } });
});

const headersSchema = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const fault = findCustomHeaderFault(headers);
  const isSecret = Object.keys(headers).some((name) => /^(?:authorization|cookie)$/i.test(name));
  if (fault !== null) context.addIssue({ code: "custom", message: fault });
  else if (isSecret) context.addIssue({ code: "custom", message: "must not hold credentials: use auth and secrets" });
});

const HTTP_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

const httpSchema = z.strictObject({
  method: z.enum(HTTP_METHODS, `must be one of ${HTTP_METHODS.join(", ")}`).default("GET"),
  url: urlSchema,
  headers: headersSchema.default({}),
  /** A JSON value in whose strings `{name}` is replaced by an argument. Absent: the arguments are the body. */
  body: z.unknown().optional(),
  auth: authSchema.optional(),
});

const mcpSchema = z.strictObject({
  url: urlSchema.refine((url) => !/[{}]/.test(url), "must not have placeholders"),
  remote_name: z.string().min(1).max(256),
  headers: headersSchema.default({}),
  auth: authSchema.refine(({ type }) => type !== "query", "must not be of type query").optional(),
});

export type ToolAuth = z.infer<typeof authSchema>;
export type HttpConfig = z.infer<typeof httpSchema>;
export type McpConfig = z.infer<typeof mcpSchema>;

export interface ConfigFault {
  /** Dotted, relative to `config`; empty for the whole. */
  readonly path: string;
  readonly message: string;
  readonly isUrl: boolean;
}

type ConfigOf = { readonly http: HttpConfig; readonly mcp: McpConfig };
type ReadConfig<Kind extends keyof ConfigOf> =
  | { readonly ok: true; readonly config: ConfigOf[Kind] }
  | { readonly ok: false; readonly faults: readonly ConfigFault[] };

const SCHEMAS: { readonly [Kind in keyof ConfigOf]: z.ZodType<ConfigOf[Kind]> } = { http: httpSchema, mcp: mcpSchema };

export function readConfig<Kind extends keyof ConfigOf>(kind: Kind, config: unknown): ReadConfig<Kind> {
  const read = SCHEMAS[kind].safeParse(config);
  if (read.success) return { ok: true, config: read.data };
  const faults = read.error.issues.map((issue) => ({
    path: issue.path.map(String).join("."),
    message: issue.message,
    isUrl: issue.path[0] === "url",
  }));
  return { ok: false, faults };
}

const PLACEHOLDER = /\{[A-Za-z_][A-Za-z0-9_-]{0,63}\}/g;

/** The host must not come from an argument. Whether it may be reached is checked elsewhere. */
function findTemplateFault(url: string): string | null {
  const [, authority] = /^https:\/\/([^/?#]+)/i.exec(url) ?? [];
  if (authority === undefined) return "must begin with https:// and a host";
  if (/[{}]/.test(authority)) return "must not have placeholders in its host";
  if (url.includes("#")) return "must not have a fragment";
  if (/[{}]/.test(url.replaceAll(PLACEHOLDER, ""))) return "has braces that are no placeholder such as {name}";
  return URL.canParse(fillPlaceholders(url)) ? null : "must be a valid URL";
}

/** Replaces each placeholder by a sample value, so that the URL can be checked without arguments. */
export function fillPlaceholders(url: string): string {
  return url.replaceAll(PLACEHOLDER, "x");
}
