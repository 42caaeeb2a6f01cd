import { randomUUID } from "node:crypto";
import { after, before } from "node:test";
import { derivePassword } from "../../src/crypto/index.ts";
import { type Database, openDatabase, withRole, type Principal, type UserPrincipal } from "../../src/db/index.ts";
import type { Binding, Changes, ChangesSubscriber, SubscriptionHandle } from "../../src/realtime/changes.ts";
import { type ChangesOptions, openChanges } from "../../src/realtime/open-changes.ts";
import { openReplication } from "../../src/realtime/feed/open-replication.ts";
import { systemClock } from "../../src/time/index.ts";
import { Stage } from "../schema/support/stage.ts";
import { createTestDatabase } from "../support/database.ts";
import { silentObserver } from "../support/silent-observer.ts";
import { WAIT_MS } from "../support/wait-limit.ts";

export interface ReceivedChange {
  readonly ids: readonly number[];
  readonly type: string;
  readonly table: string;
  readonly record?: Record<string, unknown>;
  readonly old_record?: Record<string, unknown>;
  readonly columns: readonly { name: string; type: string }[];
  readonly errors: readonly string[] | null;
  readonly commit_timestamp: string;
}

/** A subscriber that records all changes that it receives. */
export class Listener implements ChangesSubscriber {
  readonly principal: Principal;
  readonly bindings: readonly Binding[];
  readonly received: ReceivedChange[] = [];
  readonly texts: string[] = [];
  readonly losses: string[] = [];
  subscription: SubscriptionHandle | null = null;
  #wakers: (() => void)[] = [];

  constructor(principal: Principal, bindings: readonly Binding[]) {
    this.principal = principal;
    this.bindings = bindings;
  }

  deliver(ids: readonly number[], data: string): void {
    this.texts.push(data);
    this.received.push({ ids, ...(JSON.parse(data) as Omit<ReceivedChange, "ids">) });
    this.#wake();
  }

  lose(reason: string): void {
    this.losses.push(reason);
    this.#wake();
  }

  async until(holds: () => boolean): Promise<void> {
    const deadline = AbortSignal.timeout(WAIT_MS);
    while (!holds()) {
      await new Promise<void>((resolve, reject) => {
        this.#wakers.push(resolve);
        deadline.addEventListener("abort", () =>
          reject(new Error(`received so far: ${JSON.stringify(this.received)}`)),
        );
        if (deadline.aborted) reject(new Error("too late"));
      });
    }
  }

  async next(count = 1): Promise<ReceivedChange[]> {
    await this.until(() => this.received.length >= count);
    this.texts.splice(0, count);
    return this.received.splice(0, count);
  }

  #wake(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }
}

export function principalOf(who: "anon" | "service_role", claims?: Record<string, unknown>): Principal;
export function principalOf(who: string, claims?: Record<string, unknown>): UserPrincipal;
export function principalOf(who: string, claims: Record<string, unknown> = {}): Principal {
  if (who === "anon" || who === "service_role")
    return { role: who, userId: null, claims: { role: who, ...claims }, session: null };
  return { role: "authenticated", userId: who, claims: { sub: who, role: "authenticated", ...claims }, session: null };
}

export function bind(table: string, rest: Partial<Binding> = {}): Binding {
  return { id: 1, event: "*", schema: "public", table, filter: null, select: null, ...rest };
}

export interface Node {
  readonly changes: Changes;
  readonly database: Database;
  /** The names of what it has noted. */
  readonly notes: readonly string[];
  stop(): Promise<void>;
}

export class FeedStage extends Stage {
  readonly nodes: Node[] = [];

  startNode(
    settings: NonNullable<ChangesOptions["settings"]> = {},
    directUrl = this.replicaUrl,
    openStream = openReplication(directUrl),
  ): Node {
    const { masterKey, adminUrl } = this.database;
    const database = openDatabase({ url: adminUrl, masterKey, poolSize: 8, observer: silentObserver });
    const notes: string[] = [];
    const observer = { ...silentObserver, note: (name: string) => void notes.push(name) };
    const changes = openChanges({ openStream, database, observer, clock: systemClock, settings });
    const stopping = new AbortController();
    const running = changes.worker.run(stopping.signal);
    let stopped: Promise<void> | null = null;
    const stop = async (): Promise<void> => {
      stopping.abort();
      await running;
      await database.close();
    };
    const node: Node = {
      changes,
      database,
      notes,
      stop: () => {
        stopped ??= stop();
        return stopped;
      },
    };
    this.nodes.push(node);
    return node;
  }

  get replicaUrl(): string {
    const { adminUrl, masterKey } = this.database;
    return withRole(adminUrl, "sb_replica", derivePassword(masterKey, "sb_replica"));
  }

  async subscribe(node: Node, principal: Principal, bindings: readonly Binding[]): Promise<Listener> {
    const listener = new Listener(principal, bindings);
    listener.subscription = await node.changes.subscribe(listener, AbortSignal.timeout(WAIT_MS));
    return listener;
  }

  /** Resolves when the node has processed everything committed before, including the queue of the listener. */
  async settle(node: Node): Promise<void> {
    const prefix = `test.${randomUUID()}`;
    await new Promise<void>((resolve, reject) => {
      const stop = node.changes.onMessage(prefix, () => {
        stop();
        resolve();
      });
      node.changes.emit(prefix, Buffer.from("x")).catch(reject);
      AbortSignal.timeout(WAIT_MS).addEventListener("abort", () => reject(new Error("the feed does not settle")));
    });
  }

  async slots(): Promise<number> {
    const { rows } = await this.database.owner.query<{ count: number }>(
      "select count(*)::int as count from pg_replication_slots where database = current_database()",
    );
    return rows[0]?.count ?? -1;
  }

  override async close(): Promise<void> {
    for (const node of this.nodes) await node.stop();
    await super.close();
  }
}

export function openFeedStage(settings: NonNullable<ChangesOptions["settings"]> = {}): {
  readonly stage: FeedStage;
  readonly node: Node;
} {
  const closers: (() => Promise<void>)[] = [];
  const opened = {} as { stage: FeedStage; node: Node };
  before(async () => {
    const database = await createTestDatabase({ after: (close) => closers.push(close) });
    opened.stage = new FeedStage(database);
    closers.unshift(() => opened.stage.close());
    opened.node = opened.stage.startNode(settings);
  });
  after(async () => {
    for (const close of closers) await close();
  });
  return opened;
}
