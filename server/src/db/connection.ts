/** Returns the connection string with another user and password. */
export function withRole(url: string, user: string, password: string): string {
  const parsed = parseConnectionUrl(url);
  // In the driver these parameters take precedence over the user and password before the "@".
  parsed.searchParams.delete("user");
  parsed.searchParams.delete("password");
  // The setters do not encode "%", so all special characters are encoded first.
  parsed.username = encodeURIComponent(user);
  parsed.password = encodeURIComponent(password);
  return parsed.href;
}

/** Returns the connection string with another database. */
export function withDatabase(url: string, name: string): string {
  const parsed = parseConnectionUrl(url);
  parsed.pathname = `/${encodeURIComponent(name)}`;
  return parsed.href;
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
