export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export interface DnsAnswer {
  readonly addresses: readonly ResolvedAddress[];
  /** How long the answer may be kept, as the zone says. */
  readonly ttlSeconds: number;
}

/** Every address of a name, of both families. Rejects when there is none. */
export type Resolver = (name: string, signal: AbortSignal) => Promise<DnsAnswer>;
