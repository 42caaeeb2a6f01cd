import type { IncomingMessage } from "node:http";
import type { Settings } from "../../config/index.ts";
import { addressKey } from "../../limits/index.ts";
import { toPlainAddress } from "./proxy-trust.ts";

/** What counts as one client, for requests that do not come through the route table. Only a proxy's word is believed. */
export function clientKeyOf({ headers, socket }: IncomingMessage, { tlsMode }: Pick<Settings, "tlsMode">): string {
  const forwarded = tlsMode === "proxy" ? headers["x-forwarded-for"] : undefined;
  return addressKey(toPlainAddress(String(forwarded ?? socket.remoteAddress ?? "")));
}
