import type pg from "pg";
import { readerOf } from "../../feed/read-column.ts";
import type { Transaction } from "../../feed/row-change.ts";
import type { WhenVisible } from "../../feed/when-visible.ts";
import { SetsByKey } from "../../sets-by-key.ts";
import type { Access, AccessSet } from "./rule.ts";
import { type AccessRow, selectAccess } from "./sql/select-access.ts";

const MAX_RECENT = 32;
const MANAGER_ROLES = new Set(["owner", "admin"]);
const WRITER_ROLES = new Set(["owner", "admin", "member"]);

/** The swarms and agents of a user at one time. Immutable. */
export class UserAccess implements Access {
  readonly swarms: ReadonlyMap<string, string>;
  readonly agents: ReadonlySet<string>;

  constructor(swarms: ReadonlyMap<string, string>, agents: ReadonlySet<string>) {
    this.swarms = swarms;
    this.agents = agents;
  }

  has(set: AccessSet, id: string): boolean {
    if (set === "agents") return this.agents.has(id);
    const role = this.swarms.get(id);
    if (role === undefined) return false;
    return set === "swarms" || (set === "managedSwarms" ? MANAGER_ROLES : WRITER_ROLES).has(role);
  }

  equals({ swarms, agents }: UserAccess): boolean {
    if (swarms.size !== this.swarms.size || agents.size !== this.agents.size) return false;
    for (const [id, role] of swarms) if (this.swarms.get(id) !== role) return false;
    for (const id of agents) if (!this.agents.has(id)) return false;
    return true;
  }
}

interface Entry {
  references: number;
  access: UserAccess;
  /** Changes from the feed during the load, to apply to its result; null after the load. */
  changesDuringLoad: ((access: UserAccess) => UserAccess)[] | null;
  loading: Promise<void>;
}

/** Caches the swarms and agents of all subscribed users. The feed itself keeps it current. */
export class AccessCache {
  readonly #pool: pg.Pool;
  readonly #whenVisible: WhenVisible;
  /** Recent transactions of the feed, which a query may not see yet. */
  #recentXids: number[] = [];
  readonly #entries = new Map<string, Entry>();
  readonly #bySwarm = new SetsByKey<string>();
  readonly #byAgent = new Map<string, string>();

  constructor(pool: pg.Pool, whenVisible: WhenVisible) {
    this.#pool = pool;
    this.#whenVisible = whenVisible;
  }

  /**
   * Loads the access of a user. It is current once the feed has passed the time of the query. `followed` resolves when the feed has
   * all later changes of access, with recent transactions whose changes have not arrived.
   */
  async acquire(userId: string, followed: Promise<readonly number[]>): Promise<void> {
    const known = this.#entries.get(userId);
    if (known !== undefined) {
      known.references += 1;
      return known.loading;
    }
    const entry: Entry = { references: 1, access: NO_ACCESS, changesDuringLoad: [], loading: Promise.resolve() };
    this.#entries.set(userId, entry);
    entry.loading = this.#load(userId, entry, followed);
    return entry.loading;
  }

  release(userId: string): void {
    const entry = this.#entries.get(userId);
    if (entry === undefined) return;
    entry.references -= 1;
    if (entry.references > 0) return;
    this.#replace(userId, entry, NO_ACCESS);
    this.#entries.delete(userId);
  }

  clear(): void {
    this.#entries.clear();
    this.#bySwarm.clear();
    this.#byAgent.clear();
  }

  accessOf(userId: string): UserAccess {
    return this.#entries.get(userId)?.access ?? NO_ACCESS;
  }

  findUsers(set: AccessSet, id: string): Iterable<string> {
    if (set !== "agents") return this.#bySwarm.get(id);
    const owner = this.#byAgent.get(id);
    return owner === undefined ? [] : [owner];
  }

  /** Returns the access before the transaction of the users whose access it changed. */
  apply({ changes, xid }: Transaction): ReadonlyMap<string, UserAccess> {
    const before = new Map<string, UserAccess>();
    if (changes.length > 0) this.#recentXids = [...this.#recentXids.slice(1 - MAX_RECENT), xid];
    if (this.#entries.size === 0) return before;
    const hidden = findHiddenSwarms(changes);
    for (const change of changes) {
      if (change.relation.schema !== "public") continue;
      const adjust = change.relation.name === "swarm_members" ? adjustSwarms : adjustAgents;
      if (adjust === adjustAgents && (change.relation.name !== "agents" || change.type === "UPDATE")) continue;
      for (const [tuple, isRemoved] of [
        [change.oldRecord, true],
        [change.record, false],
      ] as const) {
        if (tuple === null) continue;
        const read = readerOf(change.relation, tuple);
        if (adjust === adjustSwarms && hidden.has(read("swarm_id"))) continue;
        const userId = read("user_id");
        const entry = typeof userId === "string" ? this.#entries.get(userId) : undefined;
        if (entry === undefined || typeof userId !== "string") continue;
        if (!before.has(userId)) before.set(userId, entry.access);
        const step = (access: UserAccess): UserAccess => adjust(access, read, isRemoved);
        entry.changesDuringLoad?.push(step);
        this.#replace(userId, entry, step(entry.access));
      }
    }
    return before;
  }

  /**
   * Reads the access of all users again, so that it includes all visible transactions. Returns the previous access of the users
   * whose access has changed.
   */
  async reload(): Promise<Map<string, UserAccess>> {
    // A load that began earlier may not see the latest transactions.
    await Promise.allSettled(Array.from(this.#entries.values(), ({ loading }) => loading));
    const before = new Map<string, UserAccess>();
    for (const row of await selectAccess(this.#pool, [...this.#entries.keys()])) {
      const entry = this.#entries.get(row.userId);
      if (entry === undefined) continue;
      const access = readAccess(row);
      if (!access.equals(entry.access)) before.set(row.userId, entry.access);
      this.#replace(row.userId, entry, access);
    }
    return before;
  }

  async #load(userId: string, entry: Entry, followed: Promise<readonly number[]>): Promise<void> {
    try {
      const missed = await followed;
      await Promise.all([...this.#recentXids, ...missed].map((xid) => this.#whenVisible(xid)));
      const [row] = await selectAccess(this.#pool, [userId]);
      const read = row === undefined ? NO_ACCESS : readAccess(row);
      const access = (entry.changesDuringLoad ?? []).reduce((known, step) => step(known), read);
      entry.changesDuringLoad = null;
      if (this.#entries.get(userId) === entry) this.#replace(userId, entry, access);
    } catch (error) {
      if (this.#entries.get(userId) === entry) this.#entries.delete(userId);
      throw error;
    }
  }

  #replace(userId: string, entry: Entry, access: UserAccess): void {
    for (const id of entry.access.swarms.keys()) if (!access.swarms.has(id)) this.#bySwarm.delete(id, userId);
    for (const id of entry.access.agents) if (!access.agents.has(id)) this.#byAgent.delete(id);
    for (const id of access.swarms.keys()) this.#bySwarm.add(id, userId);
    for (const id of access.agents) this.#byAgent.set(id, userId);
    entry.access = access;
  }
}

const NO_ACCESS = new UserAccess(new Map(), new Set());

function readAccess({ swarms, agents }: AccessRow): UserAccess {
  return new UserAccess(new Map(swarms.map(({ id, role }) => [id, role])), new Set(agents));
}

/** The swarms that a transaction creates as hidden ones: their user's membership gives no access. */
function findHiddenSwarms(changes: Transaction["changes"]): ReadonlySet<unknown> {
  const created = changes.filter(({ relation }) => relation.schema === "private" && relation.name === "hidden_swarms");
  return new Set(created.flatMap(({ relation, record }) => (record ? [readerOf(relation, record)("swarm_id")] : [])));
}

type Adjust = (access: UserAccess, read: ReturnType<typeof readerOf>, isRemoved: boolean) => UserAccess;

const adjustSwarms: Adjust = (access, read, isRemoved) => {
  const [id, role] = [read("swarm_id"), read("role")];
  if (typeof id !== "string") return access;
  const swarms = new Map(access.swarms);
  if (!isRemoved && read("status") === "active" && typeof role === "string") swarms.set(id, role);
  else swarms.delete(id);
  return new UserAccess(swarms, access.agents);
};

const adjustAgents: Adjust = (access, read, isRemoved) => {
  const id = read("id");
  if (typeof id !== "string") return access;
  const agents = new Set(access.agents);
  if (isRemoved) agents.delete(id);
  else agents.add(id);
  return new UserAccess(access.swarms, agents);
};
