import { z } from "zod";
import { isRecord } from "../../../json/index.ts";
import { findCustomHeaderFault, isLoopbackUrl } from "../../../outbound/index.ts";

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

/** The tokens are those of the owner's authorization at the server, not secrets of the tool. */
const oauthSchema = z.strictObject({ type: z.literal("oauth") });

const createUrlSchema = ({ allowsPlainLoopback }: { readonly allowsPlainLoopback: boolean }) =>
  z.string().superRefine((url, context) => {
    const fault = findTemplateFault(url, allowsPlainLoopback);
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
  url: createUrlSchema({ allowsPlainLoopback: false }),
  headers: headersSchema.default({}),
  /** A JSON value in whose strings `{name}` is replaced by an argument. Absent: the arguments are the body. */
  body: z.unknown().optional(),
  auth: authSchema.optional(),
});

const mcpSchema = z.strictObject({
  url: createUrlSchema({ allowsPlainLoopback: true }).refine((url) => !/[{}]/.test(url), "must not have placeholders"),
  remote_name: z.string().min(1).max(256),
  headers: headersSchema.default({}),
  auth: z
    .discriminatedUnion("type", [...authSchema.options, oauthSchema])
    .refine(({ type }) => type !== "query", "must not be of type query")
    .optional(),
});

/** A server that the operator has listed: it has no address, and gets no secrets of users. */
const localMcpSchema = z.strictObject({
  server: z.string().min(1).max(64),
  remote_name: z.string().min(1).max(256),
});

export type ToolAuth = z.infer<typeof authSchema>;
export type McpAuth = ToolAuth | z.infer<typeof oauthSchema>;
export type HttpConfig = z.infer<typeof httpSchema>;
export type McpConfig = z.infer<typeof mcpSchema> | z.infer<typeof localMcpSchema>;

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

/** Chosen by the members, so that the faults are those of one form. */
function schemaOf<Kind extends keyof ConfigOf>(kind: Kind, config: unknown): z.ZodType<ConfigOf[Kind]> {
  const schemas: { readonly [Each in keyof ConfigOf]: z.ZodType<ConfigOf[Each]> } = {
    http: httpSchema,
    mcp: isRecord(config) && Object.hasOwn(config, "server") ? localMcpSchema : mcpSchema,
  };
  return schemas[kind];
}

export function readConfig<Kind extends keyof ConfigOf>(kind: Kind, config: unknown): ReadConfig<Kind> {
  const read = schemaOf(kind, config).safeParse(config);
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
function findTemplateFault(url: string, allowsPlainLoopback: boolean): string | null {
  const [, scheme = "", authority = ""] = /^(https?):\/\/([^/?#]+)/i.exec(url) ?? [];
  const isSecure = scheme.toLowerCase() === "https" || (allowsPlainLoopback && isLoopbackUrl(url));
  if (authority === "" || !isSecure) return "must begin with https:// and a host";
  if (/[{}]/.test(authority)) return "must not have placeholders in its host";
  if (url.includes("#")) return "must not have a fragment";
  if (/[{}]/.test(url.replaceAll(PLACEHOLDER, ""))) return "has braces that are no placeholder such as {name}";
  return URL.canParse(fillPlaceholders(url)) ? null : "must be a valid URL";
}

/** Replaces each placeholder by a sample value, so that the URL can be checked without arguments. */
export function fillPlaceholders(url: string): string {
  return url.replaceAll(PLACEHOLDER, "x");
}
