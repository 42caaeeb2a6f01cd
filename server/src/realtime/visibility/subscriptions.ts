import type { Database, Principal } from "../../db/index.ts";
import type { Observer } from "../../observe/index.ts";
import { AppError } from "../../errors/index.ts";
import type { ChangesSubscriber, SessionsEnded, Subscription } from "../changes.ts";
import { CommitGate } from "../feed/commit-gate.ts";
import type { Relation, Transaction } from "../feed/row-change.ts";
import { AskDatabase } from "./ask-database.ts";
import { BindingIndex } from "./binding-index.ts";
import { Identity, identityKey, userIdOf } from "./identity.ts";
import { Lane } from "./lane.ts";
import { Members } from "./members.ts";
import { prepareBindings } from "./prepare-bindings.ts";
import { Router } from "./router.ts";
import type { Seat, SeatBinding } from "./seat.ts";
import { TableMetadataCache } from "./table-metadata-cache.ts";

export interface SubscriptionsOptions {
  readonly database: Database;
  readonly observer: Observer;
  readonly schemas: readonly string[];
  readonly policyTimeoutMs: number;
  readonly maxConcurrentPolicies: number;
  readonly maxWaitingPerIdentity: number;
  readonly maxRecordBytes: number;
}

/** Tables that nodes read for themselves. */
const ACCESS_TABLES = new Set(["auth.sessions", "auth.users", "public.swarm_members", "public.agents"]);
const MAX_SCANS_PER_USER = 500;
const HIDDEN_SCHEMAS = new Set(["auth", "private", "realtime"]);

/** Everybody who listens on this node. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #index = new BindingIndex();
  readonly #members: Members;
  readonly #tables: TableMetadataCache;
  readonly #database: AskDatabase;
  readonly #router: Router;
  readonly #identities = new Map<string, Identity>();
  readonly #seats = new Set<Seat>();
  readonly #scans = new Map<string, number>();

  constructor(options: SubscriptionsOptions) {
    const { database, observer, maxRecordBytes } = options;
    this.#options = options;
    const gate = new CommitGate(database.service);
    const whenVisible = (xid: number): Promise<void> => gate.pass(xid);
    this.#members = new Members(database.service, whenVisible);
    this.#tables = new TableMetadataCache(database.service);
    this.#database = new AskDatabase({
      database,
      schemas: options.schemas,
      timeoutMs: options.policyTimeoutMs,
      maxConcurrent: options.maxConcurrentPolicies,
    });
    const [index, members, tables] = [this.#index, this.#members, this.#tables];
    const lose = (seat: Seat, reason: string): void => this.#lose(seat, reason);
    this.#router = new Router({ database, index, members, tables, observer, maxRecordBytes, whenVisible, lose });
  }

  isWanted = (relation: Relation): boolean => {
    if (ACCESS_TABLES.has(`${relation.schema}.${relation.name}`)) return true;
    return !HIDDEN_SCHEMAS.has(relation.schema) && this.#index.isWanted(relation);
  };

  forgetTables(): void {
    this.#tables.forgetNames();
  }

  /** Changes are told from the moment that `begin` is called, which must be after the feed has passed this call. */
  async add(subscriber: ChangesSubscriber): Promise<Subscription & { begin(): void }> {
    const { caller } = subscriber;
    const bindings = await prepareBindings(
      { tables: this.#tables, database: this.#database },
      caller,
      subscriber.bindings,
    );
    const userId = userIdOf(caller);
    this.#countScans(userId, bindings, 1);
    const seat: Seat = { subscriber, bindings, identity: this.#enter(caller), isLive: false, isGone: false };
    this.#index.add(seat);
    this.#seats.add(seat);
    if (userId !== null)
      await this.#members.hold(userId).catch((error: unknown) => {
        this.#leave(seat, false);
        throw error;
      });
    return {
      begin: () => {
        seat.isLive = true;
      },
      update: (next) => this.#update(seat, next),
      close: () => this.#leave(seat, true),
    };
  }

  /** In the order of commits. Waits only for what the feed itself cannot tell. */
  take(transaction: Transaction): Promise<void> | void {
    const before = this.#members.apply(transaction);
    return this.#router.route(transaction, before);
  }

  /** The access of these is over, before anything else is told. */
  end({ sessionIds, userIds }: SessionsEnded): void {
    const [sessions, users] = [new Set(sessionIds), new Set(userIds)];
    for (const seat of this.#seats) {
      const { session } = seat.identity.caller;
      if (session === null) continue;
      const isOver = users.has(session.userId) || (session.sessionId !== null && sessions.has(session.sessionId));
      if (isOver) this.#lose(seat, "The session has ended");
    }
  }

  loseAll(reason: string): void {
    for (const seat of this.#seats) this.#lose(seat, reason);
    this.#index.clear();
    this.#members.clear();
    this.#identities.clear();
  }

  #enter(caller: Principal): Identity {
    const key = identityKey(caller);
    let identity = this.#identities.get(key);
    if (identity === undefined) {
      const lane = new Lane(
        (question, images) => this.#database.judge(caller, question, images),
        this.#options.maxWaitingPerIdentity,
      );
      identity = new Identity(caller, lane);
      this.#identities.set(key, identity);
    }
    identity.subscribers += 1;
    return identity;
  }

  #exit(identity: Identity): void {
    identity.subscribers -= 1;
    if (identity.subscribers === 0 && this.#identities.get(identity.key) === identity)
      this.#identities.delete(identity.key);
  }

  #update(seat: Seat, caller: Principal): void {
    if (seat.isGone) return;
    const previous = seat.identity;
    if (identityKey(caller) === previous.key) return;
    // What belongs to somebody else has not been read.
    if (userIdOf(caller) !== previous.userId) return this.#lose(seat, "The channel has another user now");
    this.#index.remove(seat);
    seat.identity = this.#enter(caller);
    this.#index.add(seat);
    if (!previous.lane.isIdle) seat.identity.lane.waitFor(previous.lane.drained());
    this.#exit(previous);
  }

  #leave(seat: Seat, releases: boolean): void {
    if (seat.isGone) return;
    seat.isGone = true;
    this.#seats.delete(seat);
    this.#index.remove(seat);
    this.#exit(seat.identity);
    this.#countScans(seat.identity.userId, seat.bindings, -1);
    if (releases && seat.identity.userId !== null) this.#members.release(seat.identity.userId);
  }

  /** Filters that are not found by a value of the row are held against every row, and they are all kept for whoever asks. */
  #countScans(userId: string | null, bindings: readonly SeatBinding[], sign: 1 | -1): void {
    if (userId === null) return;
    const own = bindings.filter(({ filter }) => filter !== null && filter.key === null).length;
    const scans = (this.#scans.get(userId) ?? 0) + own * sign;
    if (sign === 1 && own > 0 && scans > MAX_SCANS_PER_USER)
      throw new AppError("RATE_LIMITED", `A user may have ${MAX_SCANS_PER_USER} filters that name no value to look up`);
    if (scans === 0) this.#scans.delete(userId);
    else this.#scans.set(userId, scans);
  }

  #lose(seat: Seat, reason: string): void {
    if (seat.isGone) return;
    this.#leave(seat, true);
    try {
      seat.subscriber.lose(reason);
    } catch {
      // Whoever cannot even be told has nothing more to lose.
    }
  }
}
