import type { ExtensionContext, ToolConfigFault } from "swarmbase/extension";

/** `tools.config` of a remote agent. */
export interface RemoteConfig {
  readonly card_url: string;
  readonly auth?: RemoteAuth;
}

/** `secret` is the name of a secret of the tool. */
type RemoteAuth =
  | { readonly type: "bearer"; readonly secret: string }
  | { readonly type: "header"; readonly header: string; readonly secret: string };

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
/** They belong to the connection, to the body or to the protocol. */
const RESERVED_HEADER =
  /^(?:host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|content-.*|proxy-.*|accept|accept-.*|a2a-.*)$/i;

export function findConfigFaults(
  config: Readonly<Record<string, unknown>>,
  { findUrlFault }: Pick<ExtensionContext, "findUrlFault">,
): readonly ToolConfigFault[] {
  const { card_url: cardUrl, auth, ...others } = config;
  const urlFault = isHttpsUrl(cardUrl) ? findUrlFault(cardUrl) : "must be the HTTPS address of an agent card";
  return [
    ...(urlFault === null ? [] : [{ path: "card_url", message: urlFault, isUrl: true }]),
    ...(auth === undefined ? [] : findAuthFaults(auth)),
    ...Object.keys(others).map((path) => ({ path, message: "is not known" })),
  ];
}

function isHttpsUrl(value: unknown): value is string {
  if (typeof value !== "string" || value.length > 2_048) return false;
  const url = URL.parse(value);
  return url?.protocol === "https:" && url.username === "" && url.password === "";
}

function findAuthFaults(auth: unknown): readonly ToolConfigFault[] {
  if (typeof auth !== "object" || auth === null) return [{ path: "auth", message: "must be an object" }];
  const { type, secret, header } = auth as Readonly<Record<string, unknown>>;
  const isHeaderFine = typeof header === "string" && HEADER_NAME.test(header) && !RESERVED_HEADER.test(header);
  return [
    ...(type === "bearer" || type === "header" ? [] : [{ path: "auth.type", message: "must be bearer or header" }]),
    ...(typeof secret === "string" && secret !== ""
      ? []
      : [{ path: "auth.secret", message: "must be the name of a secret" }]),
    ...(type === "header" && !isHeaderFine
      ? [{ path: "auth.header", message: "must be the name of a header that the protocol does not use" }]
      : []),
  ];
}

/** Null when the tool lacks the secret. */
export function authHeaders(
  { auth }: RemoteConfig,
  secrets: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | null {
  if (auth === undefined) return {};
  const secret = Object.hasOwn(secrets, auth.secret) ? secrets[auth.secret] : undefined;
  if (secret === undefined) return null;
  return auth.type === "bearer" ? { authorization: `Bearer ${secret}` } : { [auth.header.toLowerCase()]: secret };
}
