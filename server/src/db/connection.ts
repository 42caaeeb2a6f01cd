/** The same server and parameters, signed in as another role. */
export function withRole(url: string, user: string, password: string): string {
  const parsed = parseConnectionUrl(url);
  // The driver lets these parameters win over the user and password before the "@".
  parsed.searchParams.delete("user");
  parsed.searchParams.delete("password");
  // The setters leave "%" as it is, so everything special is encoded first.
  parsed.username = encodeURIComponent(user);
  parsed.password = encodeURIComponent(password);
  return parsed.href;
}

/** The same server, role and parameters, another database. */
export function withDatabase(url: string, name: string): string {
  const parsed = parseConnectionUrl(url);
  parsed.pathname = `/${encodeURIComponent(name)}`;
  return parsed.href;
}

function parseConnectionUrl(url: string): URL {
  // Without a host (sockets are named by the parameter "host") a URL cannot carry a user, and "@/" does not parse at
  // all. The driver reads no host as localhost, and the parameter wins over it, so naming it changes nothing.
  const withHost = url.replace(
    /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?(?=[/?#]|$)/i,
    (_, scheme: string, userinfo?: string) =>
      userinfo === undefined ? `${scheme}localhost` : `${scheme}${userinfo}@localhost`,
  );
  const parsed = URL.parse(withHost);
  // The text may hold a password, so it is not repeated.
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    throw new TypeError("a connection string begins with postgresql:// and is a valid URL");
  }
  return parsed;
}
