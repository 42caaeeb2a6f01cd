import type { IncomingMessage } from "node:http";
import type { Settings } from "../../config/index.ts";
import { addressKey } from "../../limits/index.ts";
import { toPlainAddress } from "./proxy-trust.ts";

/** The rate-limit key of a client outside the route table. Uses the forwarded address only behind a proxy. */
export function clientKeyOf({ headers, socket }: IncomingMessage, { tlsMode }: Pick<Settings, "tlsMode">): string {
  const forwarded = tlsMode === "proxy" ? headers["x-forwarded-for"] : undefined;
  return addressKey(toPlainAddress(String(forwarded ?? socket.remoteAddress ?? "")));
}
