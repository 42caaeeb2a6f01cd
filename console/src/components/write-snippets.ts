import type { CodeValues } from "./code-values.ts";

export interface Call {
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  /** From the root of the service: "/rest/v1/agents?select=*". */
  readonly path: string;
  readonly body?: unknown;
  /** The answer comes piece by piece. */
  readonly isStreamed?: boolean;
  /** Asks for the rows that were written. */
  readonly wantsRows?: boolean;
}

/** A call as curl, with the names that `writeShellStart` gives their values. Tokens stay names. */
export function writeCurl({ method = "GET", path, body, isStreamed = false, wantsRows = false }: Call): string {
  const headers = [
    `-H "apikey: $ANON_KEY"`,
    `-H "Authorization: Bearer $ACCESS_TOKEN"`,
    ...(body === undefined ? [] : [`-H "Content-Type: application/json"`]),
    ...(isStreamed ? [`-H "Accept: text/event-stream"`] : []),
    ...(wantsRows ? [`-H "Prefer: return=representation"`] : []),
  ];
  const needsMethod = method !== "GET" && !(method === "POST" && body !== undefined);
  const first = `curl ${isStreamed ? "-N " : ""}${needsMethod ? `-X ${method} ` : ""}"$SWARMBASE_URL${path}"`;
  const lines = [first, ...headers, ...(body === undefined ? [] : [`-d ${quote(JSON.stringify(body))}`])];
  return lines.join(" \\\n  ");
}

/** What is typed once into a shell. The authority lies beside the credentials, where the service runs. */
export function writeShellStart({ url, anonKey }: CodeValues): string {
  return `export SWARMBASE_URL=${quote(url)}
export ANON_KEY=${quote(anonKey)}
# As long as the certificate is the service's own:
export CURL_CA_BUNDLE=.swarmbase/tls/ca-cert.pem

read -r -p "E-mail: " EMAIL; read -rs -p "Password: " PASSWORD
export ACCESS_TOKEN=$(jq -n --arg email "$EMAIL" --arg password "$PASSWORD" '{$email, $password}' |
  curl -s "$SWARMBASE_URL/auth/v1/token?grant_type=password" -H "apikey: $ANON_KEY" \\
    -H "Content-Type: application/json" -d @- | jq -r .access_token)`;
}

/** What stands at the top of a program. */
export function writeProgramStart({ url, anonKey }: CodeValues): string {
  return `// Run it with NODE_EXTRA_CA_CERTS=.swarmbase/tls/ca-cert.pem
// as long as the certificate is the service's own.
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

/** One word for the shell, whatever is in it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
