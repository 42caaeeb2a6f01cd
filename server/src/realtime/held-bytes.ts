import type { Principal } from "../db/index.ts";
import type { RealtimeOptions } from "./realtime-options.ts";

const SHARES = ["socket", "address", "user", "topic", "node", "visitors"] as const;

type ShareName = (typeof SHARES)[number];

/** Something that held bytes count for: one of many sockets, addresses, users or topics, or the node. */
export type Share = readonly [name: ShareName, id: unknown];

/** Counts the bytes that clients make this node hold. */
export class HeldBytes {
  readonly #limits: Readonly<Record<ShareName, number>>;
  readonly #held = new Map<ShareName, Map<unknown, number>>(SHARES.map((name) => [name, new Map()]));

  constructor(limits: Readonly<Record<ShareName, number>>) {
    this.#limits = limits;
  }

  /** The first share whose limit further bytes would exceed. A limit of 0 is none. */
  findExceeded(shares: readonly Share[], bytes: number): ShareName | null {
    const exceeded = shares.find(([name, id]) => {
      const limit = this.#limits[name];
      return limit > 0 && this.#of(name, id) + bytes > limit;
    });
    return exceeded?.[0] ?? null;
  }

  /** Negative bytes are released. */
  add(shares: readonly Share[], bytes: number): void {
    for (const [name, id] of shares) {
      const held = this.#of(name, id) + bytes;
      if (held > 0) this.#held.get(name)?.set(id, held);
      else this.#held.get(name)?.delete(id);
    }
  }

  #of(name: ShareName, id: unknown): number {
    return this.#held.get(name)?.get(id) ?? 0;
  }
}

export function limitsOf({ settings }: Pick<RealtimeOptions, "settings">): Readonly<Record<ShareName, number>> {
  return {
    socket: settings.realtimeHeldBytesPerSocket,
    address: settings.realtimeHeldBytesPerAddress,
    user: settings.realtimeHeldBytesPerUser,
    topic: settings.realtimeHeldBytesPerTopic,
    node: settings.realtimeHeldBytesPerNode,
    visitors: settings.realtimeVisitorHeldBytesPerNode,
  };
}

export interface Holder {
  readonly principal: Principal;
  /** Null for a call over HTTP. */
  readonly socket: object | null;
  readonly address: string | null;
}

/** The service role is limited by the node alone. */
export function ownSharesOf({ principal, socket, address }: Holder): Share[] {
  if (principal.role === "service_role") return [];
  const shares: Share[] = [
    ["socket", socket],
    ["address", address],
    ["user", principal.userId],
  ];
  return shares.filter(([, id]) => id !== null);
}

/** Visitors have not signed in, or only anonymously, so that anybody can be any number of them. */
export function isVisitor({ role, claims }: Principal): boolean {
  return role === "anon" || (role === "authenticated" && claims["is_anonymous"] === true);
}

export function commonSharesOf(topicKey: string, isOfVisitor: boolean): Share[] {
  const ofAll: Share = ["node", null];
  return isOfVisitor ? [["topic", topicKey], ofAll, ["visitors", null]] : [["topic", topicKey], ofAll];
}
