import { findCustomHeaderFault } from "@swarmbase/guarded-fetch";
import { z } from "zod";
import type { ToolConfigFault } from "../tool-kind.ts";

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
  /** The token is that of an account of the person who started the run, not a secret of the tool. */
  z.strictObject({ type: z.literal("oauth"), account: z.literal("asker") }),
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

const httpSchema = z
  .strictObject({
    method: z.enum(HTTP_METHODS, `must be one of ${HTTP_METHODS.join(", ")}`).default("GET"),
    url: urlSchema,
    headers: headersSchema.default({}),
    /** A JSON value in whose strings `{name}` is replaced by an argument. Absent means that the arguments are the body. */
    body: z.unknown().optional(),
    auth: authSchema.optional(),
    /** Whether requests prove for whom the tool is called. */
    identity: z.enum(["off", "required"], 'must be "off" or "required"').default("off"),
  })
  .superRefine(({ auth, identity }, context) => {
    if (identity === "off" || auth?.type !== "query") return;
    const message = "must not be query with an identity, whose token contains the URL";
    context.addIssue({ code: "custom", path: ["auth", "type"], message });
  });

export type ToolAuth = z.infer<typeof authSchema>;
export type HttpConfig = z.infer<typeof httpSchema>;

type ReadHttpConfig =
  | { readonly ok: true; readonly config: HttpConfig }
  | { readonly ok: false; readonly faults: readonly ToolConfigFault[] };

export function readHttpConfig(config: unknown): ReadHttpConfig {
  const read = httpSchema.safeParse(config);
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
  const [, authority = ""] = /^https:\/\/([^/?#]+)/i.exec(url) ?? [];
  if (authority === "") return "must begin with https:// and a host";
  if (/[{}]/.test(authority)) return "must not have placeholders in its host";
  if (url.includes("#")) return "must not have a fragment";
  if (/[{}]/.test(url.replaceAll(PLACEHOLDER, ""))) return "has braces that are no placeholder such as {name}";
  return URL.canParse(fillPlaceholders(url)) ? null : "must be a valid URL";
}

/** Replaces each placeholder by a sample value, so that the URL can be checked without arguments. */
export function fillPlaceholders(url: string): string {
  return url.replaceAll(PLACEHOLDER, "x");
}
