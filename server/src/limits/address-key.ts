import ipaddr from "ipaddr.js";

/** The rate-limit key of an address. A household or machine has a whole IPv6 /64, which counts as one. */
export function addressKey(address: string): string {
  if (!address.includes(":")) return `ip:${address}`;
  // A zone identifies an interface of this machine, not another peer.
  const plain = address.split("%", 1)[0] ?? "";
  if (!ipaddr.IPv6.isValid(plain)) return `ip:${address}`;
  const parsed = ipaddr.IPv6.parse(plain);
  if (parsed.isIPv4MappedAddress()) return `ip:${parsed.toIPv4Address().toString()}`;
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `ip:${network.join(":")}::/64`;
}
