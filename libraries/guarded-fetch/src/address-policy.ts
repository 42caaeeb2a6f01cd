import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { BLOCKED_IPV4, BLOCKED_IPV6, PUBLIC_IPV6 } from "./special-ranges.ts";

/** Ports of other protocols, which an HTTP request could attack: the bad ports of the Fetch standard. */
const BAD_PORTS = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/** Ports of services that no public endpoint uses. */
const INTERNAL_PORTS = {
  remoteAdministration: [88, 445, 873, 3389, 5900, 5985, 5986],
  proxies: [1080, 3128],
  sqlDatabases: [1433, 1434, 1521, 3050, 3306, 5432, 5433, 6432, 26257],
  otherDatabases: [5984, 6984, 7473, 7474, 7687, 8086, 8529, 9042, 9160, 27017, 27018, 27019, 28017],
  caches: [6379, 6380, 11211, 26379],
  search: [9200, 9300],
  brokers: [2181, 4222, 4369, 5671, 5672, 6650, 9092, 9093, 15672, 25672],
  containers: [2375, 2376, 2377, 2379, 2380, 6443, 10250, 10255, 10256],
  configurationAndSecrets: [4505, 4506, 8200, 8300, 8301, 8302, 8500, 8501, 8502],
  clustersAndMonitoring: [7000, 7001, 7199, 9100],
};

const BLOCKED_PORTS: ReadonlySet<number> = new Set([...BAD_PORTS, ...Object.values(INTERNAL_PORTS).flat()]);

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

interface AddressPolicyOptions {
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
