import type { CodeValues } from "./code-values.ts";

interface Call {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path and query: "/rest/v1/agents?select=*". */
  readonly path: string;
  readonly body?: unknown;
  /** The response is an event stream. */
  readonly isStreamed?: boolean;
  /** The response contains the written rows. */
  readonly returnsRows?: boolean;
}

/** A request as a curl command. It uses the variables that `writeShellStart` sets; tokens are never written out. */
export function writeCurl({ method = "GET", path, body, isStreamed = false, returnsRows = false }: Call): string {
  const headers = [
    `-H "apikey: $ANON_KEY"`,
    `-H "Authorization: Bearer $ACCESS_TOKEN"`,
    ...(body === undefined ? [] : [`-H "Content-Type: application/json"`]),
    ...(isStreamed ? [`-H "Accept: text/event-stream"`] : []),
    ...(returnsRows ? [`-H "Prefer: return=representation"`] : []),
  ];
  const needsMethod = method !== "GET" && !(method === "POST" && body !== undefined);
  const first = `curl ${isStreamed ? "-N " : ""}${needsMethod ? `-X ${method} ` : ""}"$SWARMBASE_URL${path}"`;
  const lines = [first, ...headers, ...(body === undefined ? [] : [`-d ${quote(JSON.stringify(body))}`])];
  return lines.join(" \\\n  ");
}

/** Sets the shell variables of the snippets. The CA certificate is in the data directory of the service. */
export function writeShellStart({ url, anonKey }: CodeValues): string {
  return `export SWARMBASE_URL=${quote(url)}
export ANON_KEY=${quote(anonKey)}
# Only while the service uses its self-signed certificate:
export CURL_CA_BUNDLE=.swarmbase/tls/ca-cert.pem

read -r -p "E-mail: " EMAIL; read -rs -p "Password: " PASSWORD
export ACCESS_TOKEN=$(jq -n --arg email "$EMAIL" --arg password "$PASSWORD" '{$email, $password}' |
  curl -s "$SWARMBASE_URL/auth/v1/token?grant_type=password" -H "apikey: $ANON_KEY" \\
    -H "Content-Type: application/json" -d @- | jq -r .access_token)`;
}

/** The beginning of a program that uses the supabase-js snippets. */
export function writeProgramStart({ url, anonKey }: CodeValues): string {
  return `// Run with NODE_EXTRA_CA_CERTS=.swarmbase/tls/ca-cert.pem
// while the service uses its self-signed certificate.
import { createClient } from "@supabase/supabase-js";

const supabase = createClient(
  ${JSON.stringify(url)},
  ${JSON.stringify(anonKey)},
);
await supabase.auth.signInWithPassword({
  email: process.env.EMAIL,
  password: process.env.PASSWORD,
});`;
}

/** Quotes a text as one shell argument. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
