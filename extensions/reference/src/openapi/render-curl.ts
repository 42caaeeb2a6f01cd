export interface CurlCall {
  readonly method: string;
  /** With the parameters of the path in braces. */
  readonly path: string;
  readonly query: string;
  readonly access: "public" | "apikey" | "bearer" | "account" | "user" | "service";
  readonly body: unknown;
  readonly prefer?: string | null;
}

/** The call for a shell that has `$SWARMBASE_URL`, `$ANON_KEY`, `$ACCESS_TOKEN` and `$SERVICE_ROLE_KEY`. */
export function renderCurl({ method, path, query, access, body, prefer = null }: CurlCall): string {
  const address = `"$SWARMBASE_URL${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${shout(name)}`)}${query}"`;
  const lines = [
    `curl ${method === "GET" ? "" : `-X ${method} `}${address}`,
    ...credentialsOf(access),
    ...(prefer === null ? [] : [`-H "Prefer: ${prefer}"`]),
    ...(body === undefined
      ? []
      : [`-H "Content-Type: application/json"`, `-d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`]),
  ];
  return lines.join(" \\\n  ");
}

function credentialsOf(access: CurlCall["access"]): string[] {
  switch (access) {
    case "public":
      return [];
    case "apikey":
      return [`-H "apikey: $ANON_KEY"`];
    case "bearer":
    case "account":
    case "user":
      return [`-H "apikey: $ANON_KEY"`, `-H "Authorization: Bearer $ACCESS_TOKEN"`];
    case "service":
      return [`-H "apikey: $SERVICE_ROLE_KEY"`, `-H "Authorization: Bearer $SERVICE_ROLE_KEY"`];
  }
}

function shout(name: string): string {
  return name.replaceAll(/[A-Z]/g, "_$&").toUpperCase();
}
