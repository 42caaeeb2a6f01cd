import { isIP } from "node:net";

/** Whether browsers accept it as the id of a relying party: a domain that is not a top-level one, or `localhost`. */
export function isRelyingPartyId(id: string): boolean {
  return id === "localhost" || (/^[^.:]+(\.[^.:]+)+$/.test(id) && isIP(id) === 0);
}

/** Whether a browser uses passkeys of this relying party on pages of the address. */
export function isPageOf(id: string, address: string): boolean {
  const { protocol, hostname } = URL.parse(address) ?? { protocol: "", hostname: "*" };
  if (hostname.includes("*")) return false;
  const isSecure = protocol === "https:" || (protocol === "http:" && isWithin("localhost", hostname));
  return isSecure && isWithin(id, hostname);
}

function isWithin(domain: string, hostname: string): boolean {
  return hostname === domain || hostname.endsWith(`.${domain}`);
}
