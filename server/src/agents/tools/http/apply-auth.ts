import { ToolFailure } from "../../../errors/index.ts";
import type { ToolAuth } from "./http-config.ts";
import type { ToolSecrets } from "../seal-secrets.ts";

export interface AppliedAuth {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: { readonly parameter: string; readonly value: string } | null;
}

/** The headers or the query parameter that send the tool's secret to its server. */
export function applyAuth(auth: ToolAuth | undefined, secrets: ToolSecrets): AppliedAuth {
  if (auth === undefined || auth.type === "oauth") return { headers: {}, query: null };
  const secret = Object.hasOwn(secrets, auth.secret) ? secrets[auth.secret] : undefined;
  if (secret === undefined) throw new ToolFailure("TOOL_UNUSABLE", `The tool has no secret called ${auth.secret}.`);
  switch (auth.type) {
    case "bearer":
      return { headers: { authorization: `Bearer ${secret}` }, query: null };
    case "basic": {
      const pair = Buffer.from(`${auth.username}:${secret}`).toString("base64");
      return { headers: { authorization: `Basic ${pair}` }, query: null };
    }
    case "header":
      return { headers: { [auth.header.toLowerCase()]: secret }, query: null };
    case "query":
      return { headers: {}, query: { parameter: auth.parameter, value: secret } };
  }
}
