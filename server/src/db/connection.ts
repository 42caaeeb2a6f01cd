import { type ConnectionParts, joinConnectionString, splitConnectionString } from "../config/index.ts";

/** Returns the connection string with another user and password. */
export function withRole(url: string, user: string, password: string): string {
  return change(url, (parsed) => {
    // In the driver these parameters take precedence over the user and password before the "@".
    parsed.searchParams.delete("user");
    parsed.searchParams.delete("password");
    // The setters do not encode "%", so all special characters are encoded first.
    parsed.username = encodeURIComponent(user);
    parsed.password = encodeURIComponent(password);
  });
}

/** Returns the connection string with another database. */
export function withDatabase(url: string, name: string): string {
  return change(url, (parsed) => {
    parsed.pathname = `/${encodeURIComponent(name)}`;
  });
}

/** A URL has one host, so all others are set aside meanwhile. */
function change(url: string, apply: (parsed: URL) => void): string {
  const parts = splitConnectionString(url);
  if (parts === null || !parts.hosts.includes(",")) {
    const parsed = parseConnectionUrl(url);
    apply(parsed);
    return parsed.href;
  }
  const { hosts } = parts;
  const first: ConnectionParts = { ...parts, hosts: hosts.slice(0, hosts.indexOf(",")) };
  const parsed = parseConnectionUrl(joinConnectionString(first));
  apply(parsed);
  const changed = splitConnectionString(parsed.href);
  return changed === null ? parsed.href : joinConnectionString({ ...changed, hosts });
}

function parseConnectionUrl(url: string): URL {
  // Without a host (sockets are named by the parameter "host") a URL cannot carry a user, and "@/" does not parse at
  // all. The driver takes localhost when there is no host, and the parameter takes precedence, so naming it changes nothing.
  const withHost = url.replace(
    /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?(?=[/?#]|$)/i,
    (_, scheme: string, userinfo?: string) =>
      userinfo === undefined ? `${scheme}localhost` : `${scheme}${userinfo}@localhost`,
  );
  const parsed = URL.parse(withHost);
  // The text may contain a password, so the message does not repeat it.
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    throw new TypeError("a connection string begins with postgresql:// and is a valid URL");
  }
  return parsed;
}
