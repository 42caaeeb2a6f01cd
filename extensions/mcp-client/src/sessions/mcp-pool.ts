import type { Client } from "@modelcontextprotocol/client";
import { type AccountTokens, type AuthorizationKey, ToolFailure, unlessAborted } from "swarmbase/extension";
import type { McpServer } from "../load-mcp-servers.ts";
import type { HeldCalls, KeptLoan } from "../questions/held-calls.ts";
import { keyOf, type McpTarget, type ProgramTarget, serverOf } from "./mcp-target.ts";
import { canCacheList, type ClientOptions, openClient, type Resumption } from "./open-client.ts";
import type { ServerPrograms } from "./server-programs.ts";

/** The maximum numbers of open sessions. */
interface SessionLimits {
  readonly perNode: number;
  readonly perServer: number;
  /** Programs count for no user, because all users share them. */
  readonly perUser: number;
}

export interface McpPoolOptions extends ClientOptions {
  readonly limits: SessionLimits;
  readonly idleMs: number;
  readonly held: HeldCalls;
  /** The access tokens of an owner for a server. */
  tokensOf(authorization: AuthorizationKey): AccountTokens;
}

interface BorrowOptions {
  /** The server may ask a person, so the call does not share a session whose questions could belong to another call. */
  readonly isAsking?: boolean;
  /** A session that the server has: the call gets a connection of its own to it. */
  readonly resumption?: Resumption;
}

export interface McpLoan {
  readonly client: Client;
  /** No other call uses the session. */
  readonly isAlone: boolean;
  /** The session is older than this call, so the server may have dropped it. */
  readonly isReused: boolean;
  /** The list of tools can be taken from the client's cache, which a notification of the server clears. */
  readonly hasCachedList: boolean;
  /** Must be called once. A session that is not reusable is closed. */
  release(isReusable: boolean): void;
  /** Returns a loan for the time after the call, which does not release it any more. */
  keep(): KeptLoan;
}

interface Session {
  readonly key: string;
  readonly server: string;
  /** Null for a program. */
  readonly user: string | null;
  readonly connecting: Promise<Client>;
  readonly idleMs: number;
  /** A server that asks by the end of a call, so that calls can share the session. Null while it is being opened. */
  isModern: boolean | null;
  isAlone: boolean;
  borrowers: number;
  isDropped: boolean;
  idle: NodeJS.Timeout | null;
}

/** A program may keep a state, and its start takes time. */
const PROGRAM_IDLE_MS = 600_000;
/** The user of tools without an owner. */
const NO_OWNER = "nobody";

/**
 * Sessions with MCP servers, for each owner, address and set of secrets. Concurrent calls share a session, except those that have
 * one for themselves. Where a limit is reached, the least recently used session without calls is closed; if all of them have
 * calls, a further call waits. A session that was idle for some time or is not reusable is closed when the last call has released
 * it.
 */
export class McpPool {
  readonly #options: McpPoolOptions;
  /** The least recently used first. Only those that further calls can use. */
  readonly #usable = new Set<Session>();
  /** Includes those that calls still use and no further call gets. */
  readonly #open = new Set<Session>();
  readonly #closing = new AbortController();
  #freed = Promise.withResolvers<void>();

  constructor(options: McpPoolOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  get held(): HeldCalls {
    return this.#options.held;
  }

  /** Throws an error for the caller when tools of this owner cannot use the program. */
  requireServer(name: string, ownerId: string | null): void {
    this.#options.programs.require(name, ownerId);
  }

  tokensOf(authorization: AuthorizationKey): AccountTokens {
    return this.#options.tokensOf(authorization);
  }

  async borrow(target: McpTarget, signal: AbortSignal, options: BorrowOptions = {}): Promise<McpLoan> {
    const program = "server" in target ? requireUsable(this.#options.programs, target) : null;
    const isAsking = options.isAsking === true && program?.canAsk !== false;
    const { session, isReused } = await this.#take(target, signal, { ...options, isAsking });
    try {
      const client = await unlessAborted(session.connecting, signal);
      return {
        client,
        isReused,
        isAlone: session.isAlone,
        hasCachedList: canCacheList(client, target),
        ...this.#lend(session, client),
      };
    } catch (error) {
      // An aborted wait does not mean that the connection is broken.
      this.#release(session, signal.aborted);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const sessions = [...this.#open];
    for (const session of sessions) this.#drop(session);
    this.held.close();
    this.#open.clear();
    this.#announce();
    await Promise.all(sessions.map(closeSession));
  }

  #lend(session: Session, client: Client): Pick<McpLoan, "release" | "keep"> {
    let isReleased = false;
    return {
      release: (isReusable) => {
        if (!isReleased) this.#release(session, isReusable);
        isReleased = true;
      },
      keep: () => {
        isReleased = true;
        return { client, ...this.#lend(session, client) };
      },
    };
  }

  /** Waits until the limits allow a session. */
  async #take(
    target: McpTarget,
    signal: AbortSignal,
    { isAsking = false, resumption }: BorrowOptions,
  ): Promise<{ readonly session: Session; readonly isReused: boolean }> {
    const key = keyOf(target);
    for (;;) {
      if (this.#closing.signal.aborted) throw new Error("the pool of MCP sessions is closed");
      const known = resumption === undefined ? this.#findUsable(key, isAsking) : undefined;
      if (known !== undefined || this.#makeRoom(target)) {
        const session = known ?? this.#start(key, target, resumption);
        this.#usable.delete(session);
        this.#usable.add(session);
        session.isAlone = isAsking && session.isModern !== true;
        if (session.idle !== null) clearTimeout(session.idle);
        session.idle = null;
        session.borrowers += 1;
        return { session, isReused: known !== undefined };
      }
      await unlessAborted(this.#freed.promise, signal);
    }
  }

  #findUsable(key: string, isAsking: boolean): Session | undefined {
    const canUse = ({ isModern, isAlone, borrowers }: Session): boolean =>
      isAsking ? isModern === true || borrowers === 0 : !isAlone;
    return [...this.#usable].find((session) => session.key === key && canUse(session));
  }

  /** Closes idle sessions until a further one is within the limits. False means that every session that would have to be closed has calls. */
  #makeRoom(target: McpTarget): boolean {
    const { perNode, perServer, perUser } = this.#options.limits;
    const server = serverOf(target);
    const user = userOf(target);
    const scopes: readonly [limit: number, isCounted: (session: Session) => boolean][] = [
      [perUser, (session) => user !== null && session.user === user],
      [perServer, (session) => session.server === server],
      [perNode, () => true],
    ];
    return scopes.every(([limit, isCounted]) => {
      for (let excess = [...this.#open].filter(isCounted).length - limit; excess >= 0; excess -= 1) {
        const idle = [...this.#usable].find((session) => session.borrowers === 0 && isCounted(session));
        if (idle === undefined) return false;
        this.#end(idle);
      }
      return true;
    });
  }

  #start(key: string, target: McpTarget, resumption: Resumption | undefined): Session {
    const connecting = openClient(this.#options, target, {
      signal: this.#closing.signal,
      onEnd: () => onEnd(),
      ...(resumption !== undefined && { resumption }),
    });
    const session: Session = {
      key,
      server: serverOf(target),
      user: userOf(target),
      connecting,
      idleMs: "server" in target ? PROGRAM_IDLE_MS : this.#options.idleMs,
      isModern: null,
      isAlone: false,
      borrowers: 0,
      isDropped: false,
      idle: null,
    };
    const onEnd = (): void => {
      this.#drop(session);
      if (session.borrowers === 0) this.#end(session);
    };
    this.#open.add(session);
    connecting.then((client) => {
      session.isModern = client.getProtocolEra() === "modern";
      if (!session.isModern) return;
      session.isAlone = false;
      this.#announce();
    }, onEnd);
    return session;
  }

  #release(session: Session, isReusable: boolean): void {
    session.borrowers -= 1;
    session.isAlone = false;
    if (!isReusable) this.#drop(session);
    if (session.borrowers > 0) return;
    if (session.isDropped) return this.#end(session);
    session.idle = setTimeout(() => this.#end(session), session.idleMs).unref();
    this.#announce();
  }

  /** No further call gets the session. */
  #drop(session: Session): void {
    session.isDropped = true;
    this.#usable.delete(session);
  }

  #end(session: Session): void {
    this.#drop(session);
    this.#open.delete(session);
    void closeSession(session);
    this.#announce();
  }

  /** The calls that wait try again, in the order in which they came. */
  #announce(): void {
    this.#freed.resolve();
    this.#freed = Promise.withResolvers<void>();
  }
}

async function closeSession(session: Session): Promise<void> {
  if (session.idle !== null) clearTimeout(session.idle);
  const client = await session.connecting.catch(() => null);
  await client?.close().catch(() => {});
}

function userOf(target: McpTarget): string | null {
  return "server" in target ? null : (target.ownerId ?? NO_OWNER);
}

/** As the error of a call. */
function requireUsable(programs: ServerPrograms, { server, ownerId }: ProgramTarget): McpServer {
  try {
    return programs.require(server, ownerId);
  } catch (error) {
    throw new ToolFailure("TOOL_UNUSABLE", `${(error as Error).message}.`, { cause: error });
  }
}
