import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { BLOCKED_PORTS } from "./blocked-ports.ts";
import { PUBLIC_IPV6, BLOCKED_IPV4, BLOCKED_IPV6 } from "./special-ranges.ts";

export interface AddressPolicy {
  /** Whether the operator allowed any address outside the public internet. */
  readonly hasAllowList: boolean;
  /** Whether the operator allowed this address. */
  isAllowListed(address: string): boolean;
  /** Whether connections to this address are allowed: it is public, or the operator allowed it. */
  allows(address: string): boolean;
  /** Whether requests to this port are allowed: it belongs to no internal service, or the operator allowed it. */
  allowsPort(port: number): boolean;
}

export interface AddressPolicyOptions {
  readonly allowedCidrs: readonly string[];
  readonly allowedPorts?: readonly number[];
}

type Address = ReturnType<typeof ipaddr.parse>;
type Range = ReturnType<typeof ipaddr.parseCIDR>;

const BLOCKED_RANGES = { ipv4: BLOCKED_IPV4.map(parseRange), ipv6: BLOCKED_IPV6.map(parseRange) };
const PUBLIC_IPV6_RANGE = parseRange(PUBLIC_IPV6);

/** Throws a RangeError that names an invalid entry. */
export function createAddressPolicy({ allowedCidrs, allowedPorts = [] }: AddressPolicyOptions): AddressPolicy {
  const allowed = allowedCidrs.map(parseRange);
  const isAllowed = (address: Address): boolean => allowed.some((range) => isInside(address, range));
  return {
    hasAllowList: allowed.length > 0,
    isAllowListed(text) {
      const address = parseAddress(text);
      return address !== null && isAllowed(address);
    },
    allows(text) {
      const address = parseAddress(text);
      return address !== null && (isPublic(address) || isAllowed(address));
    },
    allowsPort: (port) => !BLOCKED_PORTS.has(port) || allowedPorts.includes(port),
  };
}

function isPublic(address: Address): boolean {
  if (address.kind() === "ipv6" && !isInside(address, PUBLIC_IPV6_RANGE)) return false;
  return !BLOCKED_RANGES[address.kind()].some((range) => isInside(address, range));
}

/** An IPv4 range never matches an IPv4-mapped IPv6 address: an allowed range allows its own family only. */
function isInside(address: Address, [network, bits]: Range): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

/** Null unless the text is in canonical notation. A zone is rejected because it names a local interface. */
function parseAddress(text: string): Address | null {
  return isIP(text) === 0 || text.includes("%") ? null : ipaddr.parse(text);
}

function parseRange(text: string): Range {
  const [address = "", bits, ...rest] = text.split("/");
  const parsed = parseAddress(address);
  const widest = parsed?.kind() === "ipv4" ? 32 : 128;
  const length = bits === undefined ? widest : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (parsed === null || rest.length > 0 || !(length <= widest)) {
    throw new RangeError(`"${text}" is not an address range such as 10.0.0.0/8 or fd00::/8`);
  }
  return [parsed, length] as Range;
}
