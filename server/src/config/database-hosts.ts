/** The servers that a connection string names, as libpq reads it: hosts and ports are lists, separated by commas. */
export interface ParsedHosts {
  /** One connection string for each host, in their order. */
  readonly urls: readonly string[];
  /** Whether only a server that accepts writes is used: with several hosts, or when `target_session_attrs` says so. */
  readonly mustAcceptWrites: boolean;
}

export interface ConnectionParts {
  /** Such as `postgresql://`. */
  readonly scheme: string;
  /** With the `@`; empty without a user. */
  readonly userinfo: string;
  readonly hosts: string;
  readonly path: string;
  /** Without the `?`; null when there is none. */
  readonly query: string | null;
}

const ATTRIBUTES = "target_session_attrs";
/** The service writes, so a server that it may only read from is of no use. */
const ACCEPTED_ATTRIBUTES: readonly string[] = ["read-write", "primary"];

/** Returns null when the text is not a connection string. */
export function splitConnectionString(url: string): ConnectionParts | null {
  // A password may contain an "@" that is not encoded, a host may not.
  const match = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)([^?#]*)(?:\?([^#]*))?(?:#.*)?$/i.exec(url);
  if (match === null) return null;
  const [, scheme = "", userinfo = "", hosts = "", path = "", query] = match;
  return { scheme, userinfo, hosts, path, query: query ?? null };
}

export function joinConnectionString({ scheme, userinfo, hosts, path, query }: ConnectionParts): string {
  return `${scheme}${userinfo}${hosts}${path}${query === null ? "" : `?${query}`}`;
}

/** Returns null when the text is not a connection string, or has a list of ports of another length than that of its hosts. */
export function parseDatabaseHosts(url: string): ParsedHosts | null {
  const parts = splitConnectionString(url);
  if (parts === null) return null;
  const parameters = parts.query?.split("&") ?? [];
  const attributes = findParameter(parameters, ATTRIBUTES);
  // Not decoded: a comma that is encoded belongs to the path of a socket.
  const hostList = findRawParameter(parameters, "host");
  const hosts = (hostList ?? parts.hosts).split(",");
  if (hosts.length === 1 && attributes === null) return { urls: [url], mustAcceptWrites: false };
  const portList = findParameter(parameters, "port");
  const ports = portList?.split(",") ?? [];
  if (ports.length > 1 && ports.length !== hosts.length) return null;
  const others = parameters.filter((each) => !["host", "port", ATTRIBUTES].includes(nameOf(each)));
  const urls = hosts.map((host, place) => {
    const port = ports[place] ?? ports[0];
    // An address in brackets is one of the authority; as a parameter it has none.
    const named = hostList === null ? { ...parts, hosts: host } : parts;
    const own = [
      ...(hostList === null ? [] : [`host=${host}`]),
      ...(port === undefined ? [] : [`port=${encodeURIComponent(port)}`]),
      ...others,
    ];
    return joinConnectionString({ ...named, query: own.length === 0 ? null : own.join("&") });
  });
  return { urls, mustAcceptWrites: true };
}

/** What is wrong with `target_session_attrs`, after the name of the setting; null when nothing is. */
export function findAttributesFault(url: string): string | null {
  const attributes = findParameter(splitConnectionString(url)?.query?.split("&") ?? [], ATTRIBUTES);
  if (attributes === null || ACCEPTED_ATTRIBUTES.includes(attributes)) return null;
  return `${ATTRIBUTES} must be ${ACCEPTED_ATTRIBUTES.join(" or ")}: the service needs a server that accepts writes`;
}

function findParameter(parameters: readonly string[], name: string): string | null {
  const found = findRawParameter(parameters, name);
  return found === null ? null : decode(found);
}

function findRawParameter(parameters: readonly string[], name: string): string | null {
  return parameters.find((each) => nameOf(each) === name)?.slice(name.length + 1) ?? null;
}

function nameOf(parameter: string): string {
  return parameter.split("=", 1)[0] ?? "";
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
