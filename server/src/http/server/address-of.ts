import { addressKey } from "../../limits/index.ts";
import { buildProxyTrust, toPlainAddress } from "../request/proxy-trust.ts";

/** What counts as one address of connections; null for a trusted proxy, whose connections belong to many clients. */
export function createAddressOf(
  trustedProxies: readonly string[],
): (remoteAddress: string | undefined) => string | null {
  const trust = buildProxyTrust(trustedProxies);
  return (remoteAddress) => (trust.isTrusted(remoteAddress) ? null : addressKey(toPlainAddress(remoteAddress ?? "")));
}
