import type { Client } from "@modelcontextprotocol/client";
import { abortable } from "../../abortable.ts";
import type { TokenSource } from "../oauth/token-source.ts";
import type { AuthorizationKey } from "../sql/mcp-authorizations.ts";
import { ToolFailure } from "../tool-failure.ts";
import { keyOf, type McpTarget, type ProgramTarget, serverOf } from "./mcp-target.ts";
import { canCacheList, type ClientOptions, openClient } from "./open-client.ts";
import type { ServerPrograms } from "./server-programs.ts";

/** The maximum numbers of open sessions. */
export interface SessionLimits {
  readonly perNode: number;
  readonly perServer: number;
  /** Programs count for no user, because all users share them. */
  readonly perUser: number;
}

export interface McpPoolOptions extends ClientOptions {
  readonly limits: SessionLimits;
  readonly idleMs: number;
  /** The access tokens of an owner for a server. */
  tokensOf(authorization: AuthorizationKey): TokenSource;
}

export interface McpLoan {
  readonly client: Client;
  /** The session is older than this call, so the server may have dropped it. */
  readonly isReused: boolean;
  /** The list of tools can be taken from the client's cache, which a notification of the server clears. */
  readonly hasCachedList: boolean;
  /** Must be called once. A session that is not reusable is closed. */
  release(isReusable: boolean): void;
}

interface Session {
  readonly key: string;
  readonly server: string;
  /** Null for a program. */
  readonly user: string | null;
  readonly connecting: Promise<Client>;
  readonly idleMs: number;
  borrowers: number;
  isDropped: boolean;
  idle: NodeJS.Timeout | null;
}

/** A program may keep a state, and its start takes time. */
const PROGRAM_IDLE_MS = 600_000;
/** The user of tools without an owner. */
const NO_OWNER = "nobody";

/**
 * Sessions with MCP servers, one for each owner, address and set of secrets. Concurrent calls share a session. Where a limit is
 * reached, the least recently used session without calls is closed; if all of them have calls, a further call waits. A session
 * that was idle for some time or is not reusable is closed when the last call has released it.
 */
export class McpPool {
  readonly #options: McpPoolOptions;
  /** By key, the least recently used first. Only those that further calls can use. */
  readonly #usable = new Map<string, Session>();
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

  /** Throws an error for the caller when tools of this owner cannot use the program. */
  requireServer(name: string, ownerId: string | null): void {
    this.#options.programs.require(name, ownerId);
  }

  tokensOf(authorization: AuthorizationKey): TokenSource {
    return this.#options.tokensOf(authorization);
  }

  async borrow(target: McpTarget, signal: AbortSignal): Promise<McpLoan> {
    if ("server" in target) requireUsable(this.#options.programs, target);
    const { session, isReused } = await this.#take(target, signal);
    try {
      const client = await abortable(session.connecting, signal);
      let isReleased = false;
      const release = (isReusable: boolean): void => {
        if (!isReleased) this.#release(session, isReusable);
        isReleased = true;
      };
      return { client, isReused, hasCachedList: canCacheList(client, target), release };
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
    this.#open.clear();
    this.#announce();
    await Promise.all(sessions.map(closeSession));
  }

  /** Waits until the limits allow a session. */
  async #take(
    target: McpTarget,
    signal: AbortSignal,
  ): Promise<{ readonly session: Session; readonly isReused: boolean }> {
    const key = keyOf(target);
    for (;;) {
      if (this.#closing.signal.aborted) throw new Error("the pool of MCP sessions is closed");
      const known = this.#usable.get(key);
      if (known !== undefined || this.#makeRoom(target)) {
        const session = known ?? this.#start(key, target);
        this.#usable.delete(key);
        this.#usable.set(key, session);
        if (session.idle !== null) clearTimeout(session.idle);
        session.idle = null;
        session.borrowers += 1;
        return { session, isReused: known !== undefined };
      }
      await abortable(this.#freed.promise, signal);
    }
  }

  /** Closes idle sessions until a further one is within the limits. False: every session that would have to be closed has calls. */
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
        const idle = [...this.#usable.values()].find((session) => session.borrowers === 0 && isCounted(session));
        if (idle === undefined) return false;
        this.#end(idle);
      }
      return true;
    });
  }

  #start(key: string, target: McpTarget): Session {
    const connecting = openClient(this.#options, target, {
      signal: this.#closing.signal,
      onEnd: () => onEnd(),
    });
    const session: Session = {
      key,
      server: serverOf(target),
      user: userOf(target),
      connecting,
      idleMs: "server" in target ? PROGRAM_IDLE_MS : this.#options.idleMs,
      borrowers: 0,
      isDropped: false,
      idle: null,
    };
    const onEnd = (): void => {
      this.#drop(session);
      if (session.borrowers === 0) this.#end(session);
    };
    this.#open.add(session);
    connecting.catch(onEnd);
    return session;
  }

  #release(session: Session, isReusable: boolean): void {
    session.borrowers -= 1;
    if (!isReusable) this.#drop(session);
    if (session.borrowers > 0) return;
    if (session.isDropped) return this.#end(session);
    session.idle = setTimeout(() => this.#end(session), session.idleMs).unref();
    this.#announce();
  }

  /** No further call gets the session. */
  #drop(session: Session): void {
    session.isDropped = true;
    if (this.#usable.get(session.key) === session) this.#usable.delete(session.key);
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
function requireUsable(programs: ServerPrograms, { server, ownerId }: ProgramTarget): void {
  try {
    programs.require(server, ownerId);
  } catch (error) {
    throw new ToolFailure("TOOL_UNUSABLE", `${(error as Error).message}.`, { cause: error });
  }
}
