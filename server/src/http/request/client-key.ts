import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Settings } from "../../config/index.ts";
import { addressKey } from "../../limits/index.ts";
import { toPlainAddress } from "./proxy-trust.ts";

/** The key of the address of a client, for rate limits and shares. */
export function addressKeyOf({ ip }: Pick<FastifyRequest, "ip">): string {
  return addressKey(toPlainAddress(ip ?? ""));
}

/** The rate-limit key of a client outside the route table. Uses the forwarded address only behind a proxy. */
export function clientKeyOf({ headers, socket }: IncomingMessage, { tlsMode }: Pick<Settings, "tlsMode">): string {
  const forwarded = tlsMode === "proxy" ? headers["x-forwarded-for"] : undefined;
  return addressKey(toPlainAddress(String(forwarded ?? socket.remoteAddress ?? "")));
}
