/** IPv4 ranges outside the public internet (the IANA special-purpose registry), and one public metadata address. */
export const BLOCKED_IPV4: readonly string[] = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT; one cloud keeps its metadata here
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // a public address that one cloud answers on inside every virtual machine
  "169.254.0.0/16", // link-local: the metadata of most clouds
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments; one cloud keeps its metadata here
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT relays
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarking
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
];

/** All public IPv6 hosts are in this range, which excludes mapped IPv4, NAT64, local and multicast addresses. */
export const PUBLIC_IPV6 = "2000::/3";

export const BLOCKED_IPV6: readonly string[] = [
  "2001::/23", // protocol assignments: Teredo, benchmarking, ORCHID
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4 carries any IPv4 address inside
  "3fff::/20", // documentation
];
