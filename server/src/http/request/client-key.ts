import type { IncomingMessage } from "node:http";
import type { Settings } from "../../config/index.ts";
import { addressKey } from "../../limits/index.ts";
import { clientAddressOf, type RouteRequest } from "../route-request.ts";
import { toPlainAddress } from "./proxy-trust.ts";

/** The key of the address of a client, for rate limits and shares. */
export function addressKeyOf({ clientAddress }: Pick<RouteRequest, "clientAddress">): string {
  return addressKey(toPlainAddress(clientAddress));
}

/** The rate-limit key of a client outside the route table. */
export function clientKeyOf(request: IncomingMessage, { tlsMode }: Pick<Settings, "tlsMode">): string {
  return addressKey(toPlainAddress(clientAddressOf(request, tlsMode)));
}
