import type { Json } from "@swarmbase/sdk";
import type { Path } from "./json.ts";
import type { Kind } from "./kinds.ts";

const CREDENTIAL_NAME =
  /(?:api|access|private|auth|signing)[_-]?key$|token$|secret$|passw(?:or)?d$|passphrase$|authorization$|cookie$|credentials?$/i;
const TOKEN_LENGTH = 20;

/**
 * Whether a value may be a credential: `pull` writes a reference in its place and `plan` does not print it. The headers of webhooks are
 * all treated so, because the service treats them so; elsewhere the name decides. A file may contain such a value all the same.
 */
export function isSensitive(field: Kind | "assignments", path: Path, value: Json | undefined): boolean {
  if (typeof value !== "string") return false;
  const [top, second] = path;
  const name = String(path.at(-1) ?? "");
  if (field === "webhooks") return top === "headers" || (top === "url" && hasToken(value));
  if (field === "assignments") return CREDENTIAL_NAME.test(name);
  if (field === "tools") {
    // `auth.secret` is the name of a secret.
    if (top !== "config" || second === "auth") return false;
    return (second === "url" && hasToken(value)) || CREDENTIAL_NAME.test(name);
  }
  return top === "settings" && CREDENTIAL_NAME.test(name);
}

/** Some services put a credential into the address of a webhook: a long part with letters and digits, or a named parameter. */
function hasToken(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  const parts = [...url.pathname.split("/"), ...url.searchParams.values()];
  return (
    url.username !== "" ||
    url.password !== "" ||
    [...url.searchParams.keys()].some((name) => CREDENTIAL_NAME.test(name)) ||
    parts.some((part) => part.length >= TOKEN_LENGTH && /\d/.test(part) && /[a-z]/i.test(part) && /^[\w-]+$/.test(part))
  );
}
