import type { IncomingHttpHeaders } from "node:http";
import { BlockList, isIP, isIPv4 } from "node:net";
import { LRUCache } from "lru-cache";
import { joinValues } from "./header-values.ts";

/** A proxy, and what it forwards, comes with every request. */
const KNOWN_ADDRESSES = 1_000;

export interface ProxyTrust {
  isTrusted(address: string | undefined): boolean;
  /** The nearest address that is not a trusted proxy; entries further left in the header can be forged. */
  findClientAddress(peer: string, forwardedFor: string | undefined): string;
}

export function buildProxyTrust(ranges: readonly string[]): ProxyTrust {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", prefix] = range.split("/");
    const family = familyOf(address);
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }

  const check = (address: string): boolean => {
    const plain = toPlainAddress(address);
    return isIP(plain) !== 0 && list.check(plain, familyOf(plain));
  };
  const known = new LRUCache<string, boolean>({ max: KNOWN_ADDRESSES });
  const isTrusted = (address = ""): boolean => {
    const found = known.get(address) ?? check(address);
    known.set(address, found);
    return found;
  };

  return {
    isTrusted,
    findClientAddress(peer, forwardedFor) {
      let nearest = toPlainAddress(peer);
      for (const entry of forwardedFor?.split(",").reverse() ?? []) {
        if (!isTrusted(nearest)) break;
        const address = toPlainAddress(entry);
        if (isIP(address) === 0) break;
        nearest = address;
      }
      return nearest;
    },
  };
}

/** Every hop must have used HTTPS. */
export function isForwardedHttps(headers: IncomingHttpHeaders): boolean {
  const entries = (joinValues(headers["x-forwarded-proto"]) ?? "").split(",");
  return entries.every((entry) => entry.trim().toLowerCase() === "https");
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return address.includes(":") ? "ipv6" : "ipv4";
}

/** Removes port, brackets, zone and the IPv4-mapped IPv6 prefix. */
export function toPlainAddress(text: string): string {
  if (isIPv4(text)) return text;
  const trimmed = text.trim();
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)?.[1] ?? trimmed;
  const withoutPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(bracketed)?.[1] ?? bracketed;
  const withoutZone = withoutPort.replace(/%.*$/, "");
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(withoutZone)?.[1] ?? withoutZone;
}
