import { setTimeout as sleep } from "node:timers/promises";
import type { Database, Principal } from "../../../db/index.ts";
import type { Observer } from "../../../observe/index.ts";
import { AppError } from "../../../errors/index.ts";
import type { ChangesSubscriber, SessionsEnded, SubscriptionHandle } from "../../changes.ts";
import type { WhenVisible } from "../../feed/when-visible.ts";
import type { ReplicatedRelation, Transaction } from "../../feed/row-change.ts";
import { PrincipalDatabase, type PrincipalDatabaseLimits } from "../checks/principal-database.ts";
import { OrderedQueue } from "../ordered-queue.ts";
import { ALWAYS_FOLLOWED, FollowedTables, type FollowedTablesOptions } from "../../feed/followed-tables.ts";
import { tableKey } from "../../table-key.ts";
import { BindingIndex } from "../matching/binding-index.ts";
import { Router } from "../router.ts";
import { AccessCache, type UserAccess } from "../rules/access-cache.ts";
import { TableMetadataCache } from "../tables/table-metadata-cache.ts";
import { type BindingContext, prepareBinding } from "./prepare-binding.ts";
import { type Identity, identityKey, type PreparedBinding, type Subscription, userIdOf } from "../subscription.ts";

export interface SubscriptionLimits extends PrincipalDatabaseLimits {
  readonly maxWaitingPerIdentity: number;
  /** A change whose JSON is larger omits its long values. */
  readonly maxRecordBytes: number;
}

interface SubscriptionsOptions extends SubscriptionLimits {
  readonly database: Database;
  readonly observer: Observer;
  readonly whenVisible: WhenVisible;
  readonly syncPublication: BindingContext["syncPublication"];
  /** Of the feed. */
  readonly follow: FollowedTablesOptions["follow"];
  readonly countLives: FollowedTablesOptions["countLives"];
}

/** The access of subscribers depends on it. */
const AGENTS_KEY = tableKey("public", "agents");
const MAX_UNINDEXED_FILTERS = 500;
/** After each part of a large transaction, sockets get time to send, and slow ones more of it. */
const PAUSE_MS = 1;
const MAX_PAUSE_MS = 1_000;
const HIDDEN_SCHEMAS = new Set(["auth", "private", "realtime"]);

/** All subscriptions of this node. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #index = new BindingIndex();
  readonly #followed: FollowedTables;
  readonly #access: AccessCache;
  readonly #tables: TableMetadataCache;
  readonly #database: PrincipalDatabase;
  readonly #router: Router;
  readonly #identities = new Map<string, Identity>();
  readonly #subscriptions = new Set<Subscription>();
  readonly #unindexedFilters = new Map<string, number>();
  /** The access before the current transaction of the users whose access has changed since, when it has parts. */
  #accessBefore: ReadonlyMap<string, UserAccess> = new Map();

  constructor(options: SubscriptionsOptions) {
    const { database, observer, whenVisible, maxRecordBytes } = options;
    this.#options = options;
    const findNeeded = (): string[] =>
      this.#subscriptions.size === 0 ? [] : [...new Set([AGENTS_KEY, ...this.#index.tables()])];
    this.#followed = new FollowedTables({ ...options, findNeeded });
    this.#access = new AccessCache(database.service, whenVisible);
    this.#tables = new TableMetadataCache(database.service);
    this.#database = new PrincipalDatabase(database, options);
    const [index, access, tables] = [this.#index, this.#access, this.#tables];
    this.#router = new Router({ database, index, access, tables, observer, maxRecordBytes, whenVisible });
  }

  isWanted = (relation: ReplicatedRelation): boolean => {
    const key = tableKey(relation.schema, relation.name);
    if (ALWAYS_FOLLOWED.has(key) || key === AGENTS_KEY) return true;
    return !HIDDEN_SCHEMAS.has(relation.schema) && this.#index.hasBindings(relation);
  };

  clearTables(): void {
    this.#tables.clearNames();
  }

  /** Delivers changes from the call of `begin` on, which must follow after the feed has passed this call. */
  async add(subscriber: ChangesSubscriber): Promise<SubscriptionHandle & { begin(): void }> {
    const { principal } = subscriber;
    const { syncPublication } = this.#options;
    const context = { tables: this.#tables, database: this.#database, principal, syncPublication };
    const bindings = await Promise.all(subscriber.bindings.map((binding) => prepareBinding(context, binding)));
    const userId = userIdOf(principal);
    this.#countUnindexedFilters(userId, bindings, 1);
    const subscription: Subscription = {
      subscriber,
      bindings,
      identity: this.#joinIdentity(principal),
      isLive: false,
      isClosed: false,
      lastXid: null,
      lose: (reason) => {
        if (subscription.isClosed) return;
        this.#close(subscription, true);
        try {
          subscriber.lose(reason);
        } catch {
          // The subscription is closed already.
        }
      },
    };
    this.#index.add(subscription);
    this.#subscriptions.add(subscription);
    const followed = this.#followed.add();
    const ready = userId === null ? followed : this.#access.acquire(userId, followed);
    await Promise.all([followed, ready]).catch((error: unknown) => {
      this.#close(subscription, false);
      throw error;
    });
    return {
      begin: () => {
        subscription.isLive = true;
      },
      update: (next) => this.#update(subscription, next),
      close: () => this.#close(subscription, true),
    };
  }

  /** Call in the order of commits. Synchronous when no change has subscribers and the transaction has no parts. */
  route(transaction: Transaction): Promise<void> | void {
    if (!transaction.isFirstPart || !transaction.isLastPart) return this.#routePart(transaction);
    return this.#router.route(transaction, this.#access.apply(transaction));
  }

  /** A later part may end the access of users to the rows of an earlier one, so the access after the commit is read first. */
  async #routePart(transaction: Transaction): Promise<void> {
    const { xid } = transaction;
    if (transaction.isFirstPart) {
      await this.#options.whenVisible(xid);
      this.#accessBefore = await this.#access.reload();
    }
    await this.#router.route(transaction, this.#accessBefore);
    const untilMs = performance.now() + MAX_PAUSE_MS;
    do await sleep(PAUSE_MS);
    while (this.#isBehind(xid) && performance.now() < untilMs);
  }

  /** Whether a subscriber has not sent, or not checked, most of what it got of the transaction. */
  #isBehind(xid: number): boolean {
    for (const { queue } of this.#identities.values()) if (!queue.hasSpace) return true;
    for (const { lastXid, subscriber } of this.#subscriptions)
      if (lastXid === xid && subscriber.isBehind?.() === true) return true;
    return false;
  }

  /** Ends the subscriptions of these sessions and users. Call before the changes of the transaction are routed. */
  end({ sessionIds, userIds }: SessionsEnded): void {
    const [sessions, users] = [new Set(sessionIds), new Set(userIds)];
    for (const subscription of this.#subscriptions) {
      const { session } = subscription.identity.principal;
      if (session === null) continue;
      const hasEnded = users.has(session.userId) || (session.sessionId !== null && sessions.has(session.sessionId));
      if (hasEnded) subscription.lose("The session has ended");
    }
  }

  loseAll(reason: string): void {
    for (const subscription of this.#subscriptions) subscription.lose(reason);
    this.#index.clear();
    this.#access.clear();
    this.#identities.clear();
  }

  #joinIdentity(principal: Principal): Identity {
    const key = identityKey(principal);
    let identity = this.#identities.get(key);
    if (identity === undefined) {
      const queue = new OrderedQueue(
        (statement, images) => this.#database.check(principal, statement, images),
        this.#options.maxWaitingPerIdentity,
      );
      identity = { key, principal, userId: userIdOf(principal), queue, subscriptions: 0 };
      this.#identities.set(key, identity);
    }
    identity.subscriptions += 1;
    return identity;
  }

  #leaveIdentity(identity: Identity): void {
    identity.subscriptions -= 1;
    if (identity.subscriptions === 0 && this.#identities.get(identity.key) === identity)
      this.#identities.delete(identity.key);
  }

  #update(subscription: Subscription, principal: Principal): void {
    if (subscription.isClosed) return;
    const previous = subscription.identity;
    if (identityKey(principal) === previous.key) return;
    // The access of another user is not loaded.
    if (userIdOf(principal) !== previous.userId) return subscription.lose("The channel has another user now");
    this.#index.remove(subscription);
    subscription.identity = this.#joinIdentity(principal);
    this.#index.add(subscription);
    if (!previous.queue.isIdle) subscription.identity.queue.waitFor(previous.queue.drained());
    this.#leaveIdentity(previous);
  }

  #close(subscription: Subscription, releasesAccess: boolean): void {
    if (subscription.isClosed) return;
    subscription.isClosed = true;
    this.#subscriptions.delete(subscription);
    this.#index.remove(subscription);
    this.#followed.release();
    this.#leaveIdentity(subscription.identity);
    this.#countUnindexedFilters(subscription.identity.userId, subscription.bindings, -1);
    if (releasesAccess && subscription.identity.userId !== null) this.#access.release(subscription.identity.userId);
  }

  /** A filter without an equality on an indexed column is evaluated for every row, so each user has a limited number. */
  #countUnindexedFilters(userId: string | null, bindings: readonly PreparedBinding[], sign: 1 | -1): void {
    if (userId === null) return;
    const added = bindings.filter(({ filter }) => filter !== null && filter.key === null).length;
    const count = (this.#unindexedFilters.get(userId) ?? 0) + added * sign;
    if (sign === 1 && added > 0 && count > MAX_UNINDEXED_FILTERS)
      throw new AppError(
        "RATE_LIMITED",
        `A user may have ${MAX_UNINDEXED_FILTERS} filters that name no value to look up`,
      );
    if (count === 0) this.#unindexedFilters.delete(userId);
    else this.#unindexedFilters.set(userId, count);
  }
}
