import type pg from "pg";
import type { Transaction } from "../feed/row-change.ts";
import type { Access, AccessSet } from "./rule.ts";
import { readerOf } from "./row-image.ts";
import { selectAccess } from "./sql/select-access.ts";

const MAX_RECENT = 32;
const MANAGING = new Set(["owner", "admin"]);
const WRITING = new Set(["owner", "admin", "member"]);

/** What belongs to a user at one moment; never changed, only replaced. */
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
    return set === "swarms" || (set === "managedSwarms" ? MANAGING : WRITING).has(role);
  }
}

interface Held {
  holders: number;
  access: UserAccess;
  /** Changes that the feed told while the rest was being read; they stand over it. */
  early: ((access: UserAccess) => UserAccess)[] | null;
  loading: Promise<void>;
}

/** Swarms and agents of the users who subscribe, kept true by the feed itself. */
export class Members {
  readonly #pool: pg.Pool;
  readonly #whenVisible: (xid: number) => Promise<void>;
  /** Transactions that the feed has told and that a look at the tables may not show yet. */
  #recent: number[] = [];
  readonly #held = new Map<string, Held>();
  readonly #bySwarm = new Map<string, Set<string>>();
  readonly #byAgent = new Map<string, string>();

  constructor(pool: pg.Pool, whenVisible: (xid: number) => Promise<void>) {
    this.#pool = pool;
    this.#whenVisible = whenVisible;
  }

  /** What is read is true once the feed has passed the moment of reading; until then nobody may rely on it. */
  async hold(userId: string): Promise<void> {
    const known = this.#held.get(userId);
    if (known !== undefined) {
      known.holders += 1;
      return known.loading;
    }
    const held: Held = { holders: 1, access: NOTHING, early: [], loading: Promise.resolve() };
    this.#held.set(userId, held);
    held.loading = this.#load(userId, held);
    return held.loading;
  }

  release(userId: string): void {
    const held = this.#held.get(userId);
    if (held === undefined) return;
    held.holders -= 1;
    if (held.holders > 0) return;
    this.#replace(userId, held, NOTHING);
    this.#held.delete(userId);
  }

  clear(): void {
    this.#held.clear();
    this.#bySwarm.clear();
    this.#byAgent.clear();
  }

  accessOf(userId: string): UserAccess {
    return this.#held.get(userId)?.access ?? NOTHING;
  }

  findUsers(set: AccessSet, id: string): Iterable<string> {
    if (set !== "agents") return this.#bySwarm.get(id) ?? [];
    const owner = this.#byAgent.get(id);
    return owner === undefined ? [] : [owner];
  }

  /** Answers with what users had before, where that is now different. */
  apply({ changes, xid }: Transaction): ReadonlyMap<string, UserAccess> {
    const before = new Map<string, UserAccess>();
    if (changes.length > 0) this.#recent = [...this.#recent.slice(1 - MAX_RECENT), xid];
    if (this.#held.size === 0) return before;
    for (const change of changes) {
      if (change.relation.schema !== "public") continue;
      const adjust = change.relation.name === "swarm_members" ? adjustSwarms : adjustAgents;
      if (adjust === adjustAgents && (change.relation.name !== "agents" || change.type === "UPDATE")) continue;
      for (const [tuple, isGone] of [
        [change.oldRecord, true],
        [change.record, false],
      ] as const) {
        if (tuple === null) continue;
        const read = readerOf(change.relation, tuple);
        const userId = read("user_id");
        const held = typeof userId === "string" ? this.#held.get(userId) : undefined;
        if (held === undefined || typeof userId !== "string") continue;
        if (!before.has(userId)) before.set(userId, held.access);
        const step = (access: UserAccess): UserAccess => adjust(access, read, isGone);
        held.early?.push(step);
        this.#replace(userId, held, step(held.access));
      }
    }
    return before;
  }

  async #load(userId: string, held: Held): Promise<void> {
    try {
      await Promise.all(this.#recent.map((xid) => this.#whenVisible(xid)));
      const { swarms, agents } = await selectAccess(this.#pool, userId);
      const read = new UserAccess(new Map(swarms.map(({ id, role }) => [id, role])), new Set(agents));
      const access = (held.early ?? []).reduce((known, step) => step(known), read);
      held.early = null;
      if (this.#held.get(userId) === held) this.#replace(userId, held, access);
    } catch (error) {
      if (this.#held.get(userId) === held) this.#held.delete(userId);
      throw error;
    }
  }

  #replace(userId: string, held: Held, access: UserAccess): void {
    for (const id of held.access.swarms.keys()) if (!access.swarms.has(id)) this.#leave(id, userId);
    for (const id of held.access.agents) if (!access.agents.has(id)) this.#byAgent.delete(id);
    for (const id of access.swarms.keys()) {
      const users = this.#bySwarm.get(id);
      if (users === undefined) this.#bySwarm.set(id, new Set([userId]));
      else users.add(userId);
    }
    for (const id of access.agents) this.#byAgent.set(id, userId);
    held.access = access;
  }

  #leave(swarmId: string, userId: string): void {
    const users = this.#bySwarm.get(swarmId);
    users?.delete(userId);
    if (users?.size === 0) this.#bySwarm.delete(swarmId);
  }
}

const NOTHING = new UserAccess(new Map(), new Set());

type Adjust = (access: UserAccess, read: ReturnType<typeof readerOf>, isGone: boolean) => UserAccess;

const adjustSwarms: Adjust = (access, read, isGone) => {
  const [id, role] = [read("swarm_id"), read("role")];
  if (typeof id !== "string") return access;
  const swarms = new Map(access.swarms);
  if (!isGone && read("status") === "active" && typeof role === "string") swarms.set(id, role);
  else swarms.delete(id);
  return new UserAccess(swarms, access.agents);
};

const adjustAgents: Adjust = (access, read, isGone) => {
  const id = read("id");
  if (typeof id !== "string") return access;
  const agents = new Set(access.agents);
  if (isGone) agents.delete(id);
  else agents.add(id);
  return new UserAccess(access.swarms, agents);
};
