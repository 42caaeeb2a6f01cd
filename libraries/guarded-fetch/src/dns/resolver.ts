export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface DnsAnswer {
  readonly addresses: readonly ResolvedAddress[];
  /** The time to live of the record. */
  readonly ttlSeconds: number;
}

/** Resolves all IPv4 and IPv6 addresses of a name. Rejects when there are none. */
export type Resolver = (name: string, signal: AbortSignal) => Promise<DnsAnswer>;
