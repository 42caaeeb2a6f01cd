import { type IncomingMessage, METHODS } from "node:http";
import { AppError } from "../../errors/index.ts";
import { PROBE_PATHS } from "../request/probe-paths.ts";
import { joinValues } from "../request/header-values.ts";
import { httpsRequiredError } from "./plain-http.ts";
import { buildProxyTrust, isForwardedHttps } from "../request/proxy-trust.ts";

export type TransportCheck = (request: IncomingMessage) => AppError | null;

const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

/** Checks that precede everything else: HTTPS behind a proxy, the method, and the Host header. */
export function buildTransportCheck(settings: {
  tlsMode: "serve" | "proxy";
  trustedProxies: readonly string[];
}): TransportCheck {
  if (settings.tlsMode === "serve") return (request) => findMethodFault(request) ?? findHostFault(request);

  const trust = buildProxyTrust(settings.trustedProxies);
  return (request) => {
    const { headers, socket } = request;
    const peer = socket.remoteAddress;
    const isFromProxy = trust.isTrusted(peer);
    const isHttps = isFromProxy && isForwardedHttps(headers);
    if (!isHttps && !isProbe(request)) return httpsRequiredError();

    // The header keeps one validated address, so that nothing downstream has to check it again.
    headers["x-forwarded-for"] = trust.findClientAddress(peer ?? "", joinValues(headers["x-forwarded-for"]));
    return findHostFault(request);
  };
}

/** The parser of HTTP/1.1 rejects unknown methods itself. */
function findMethodFault({ httpVersionMajor, method = "" }: IncomingMessage): AppError | null {
  if (httpVersionMajor < 2 || KNOWN_METHODS.has(method)) return null;
  return new AppError("BAD_REQUEST", "The method is not known");
}

/** Node.js keeps the first of several Host headers, and a proxy may have used another one. */
function findHostFault({ httpVersion, headers, rawHeaders }: IncomingMessage): AppError | null {
  if (headers.host === undefined)
    return httpVersion === "1.1" ? new AppError("BAD_REQUEST", "The Host header is missing") : null;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === "host") count += 1;
  return count > 1 ? new AppError("BAD_REQUEST", "There is more than one Host header") : null;
}

function isProbe({ method, url }: IncomingMessage): boolean {
  return (method === "GET" || method === "HEAD") && PROBE_PATHS.has((url ?? "").split("?", 1)[0] ?? "");
}
