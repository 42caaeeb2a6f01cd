import type { JsonObject } from "@swarmbase/sdk";

export const AUTH_TYPES = ["none", "bearer", "basic", "header", "query", "oauth", "asker"] as const;
/** `oauth`: the account of the owner; `asker`: that of the person who asks. */
export type AuthType = (typeof AUTH_TYPES)[number];

/** How a request is authenticated. The value of the secret is write-only. */
export interface AuthDraft {
  readonly type: AuthType;
  readonly secretName: string;
  readonly username: string;
  readonly header: string;
  readonly parameter: string;
  /** Empty keeps the stored value. */
  readonly value: string;
  /** Stored members that the form does not show. */
  readonly others: JsonObject;
}

export const NO_AUTH: AuthDraft = {
  type: "none",
  secretName: "token",
  username: "",
  header: "X-Api-Key",
  parameter: "api_key",
  value: "",
  others: {},
};

/** Whether requests carry a secret that the user enters. */
export function hasSecret({ type }: AuthDraft): boolean {
  return type !== "none" && type !== "oauth" && type !== "asker";
}

export function readAuth(auth: unknown): AuthDraft {
  if (typeof auth !== "object" || auth === null) return NO_AUTH;
  const { type: stored, account, ...given } = auth as JsonObject;
  const known = stored === "oauth" && account === "asker" ? "asker" : stored;
  const type = AUTH_TYPES.find((name) => name === known) ?? "none";
  const text = (name: string, fallback: string) => (typeof given[name] === "string" ? given[name] : fallback);
  return {
    type,
    secretName: text("secret", NO_AUTH.secretName),
    username: text("username", NO_AUTH.username),
    header: text("header", NO_AUTH.header),
    parameter: text("parameter", NO_AUTH.parameter),
    value: "",
    others: stored === "oauth" ? given : {},
  };
}

export function writeAuth({
  type,
  secretName: secret,
  username,
  header,
  parameter,
  others,
}: AuthDraft): JsonObject | undefined {
  switch (type) {
    case "none":
      return undefined;
    case "bearer":
      return { type, secret };
    case "basic":
      return { type, username, secret };
    case "header":
      return { type, header, secret };
    case "query":
      return { type, parameter, secret };
    case "oauth":
      return { ...others, type };
    case "asker":
      return { ...others, type: "oauth", account: "asker" };
  }
}
