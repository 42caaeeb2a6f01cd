import type { IncomingMessage } from "node:http";
import { AppError } from "../../errors/index.ts";
import { PROBE_PATHS } from "../routes/health-routes.ts";
import { joinValues } from "./header-values.ts";
import { httpsRequiredError } from "../server/plain-http.ts";
import { buildProxyTrust, isForwardedHttps } from "./proxy-trust.ts";

export type TransportCheck = (request: IncomingMessage) => AppError | null;

/** Checks that precede everything else: HTTPS behind a proxy, and the Host header. */
export function buildTransportCheck(settings: {
  tlsMode: "serve" | "proxy";
  trustedProxies: readonly string[];
}): TransportCheck {
  if (settings.tlsMode === "serve") return findMissingHost;

  const trust = buildProxyTrust(settings.trustedProxies);
  return (request) => {
    const { headers, socket } = request;
    const peer = socket.remoteAddress;
    const isFromProxy = trust.isTrusted(peer);
    const isHttps = isFromProxy && isForwardedHttps(headers);
    if (!isHttps && !isProbe(request)) return httpsRequiredError();

    // The header keeps one validated address, so that nothing downstream has to check it again.
    headers["x-forwarded-for"] = trust.findClientAddress(peer ?? "", joinValues(headers["x-forwarded-for"]));
    return findMissingHost(request);
  };
}

function findMissingHost({ httpVersion, headers }: IncomingMessage): AppError | null {
  if (httpVersion !== "1.1" || headers.host !== undefined) return null;
  return new AppError("BAD_REQUEST", "The Host header is missing");
}

function isProbe({ method, url }: IncomingMessage): boolean {
  return (method === "GET" || method === "HEAD") && PROBE_PATHS.has((url ?? "").split("?", 1)[0] ?? "");
}
