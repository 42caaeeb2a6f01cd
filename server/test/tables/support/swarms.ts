import assert from "node:assert/strict";
import type { Principal, UserPrincipal } from "../../../src/db/index.ts";
import { type Asked, type RestStage, SERVICE } from "../../rest/features/rest-stage.ts";

export type Row = Record<string, unknown> & { readonly id: string };
export type User = UserPrincipal;

/** The rows of a success, or the status and code of an error. */
export type Outcome = Row[] | string;

export interface People {
  readonly owner: User;
  readonly admin: User;
  readonly member: User;
  readonly viewer: User;
  readonly stranger: User;
}

/** A swarm with a user of each role, created over REST. */
export class SwarmWorld {
  readonly stage: RestStage;
  readonly people: People;
  readonly swarm: string;

  constructor(stage: RestStage, people: People, swarm: string) {
    this.stage = stage;
    this.people = people;
    this.swarm = swarm;
  }

  async ask(as: Principal, line: string, body?: unknown, headers: Record<string, string> = {}): Promise<Asked> {
    return this.stage.ask(line, {
      as,
      headers: { prefer: "return=representation", "content-type": "application/json", ...headers },
      ...(body !== undefined && { body }),
    });
  }

  async outcome(as: Principal, line: string, body?: unknown): Promise<Outcome> {
    const { status, json } = await this.ask(as, line, body);
    if (status < 300) return (json ?? []) as Row[];
    return `${status} ${String((json as Record<string, unknown>)["code"])}`;
  }

  /** The only row of an answer that must have succeeded. */
  async one(as: Principal, line: string, body?: unknown): Promise<Row> {
    const rows = await this.outcome(as, line, body);
    assert.ok(Array.isArray(rows) && rows.length === 1, `${line}: ${JSON.stringify(rows)}`);
    return rows[0] as Row;
  }

  async membershipOf(user: User): Promise<string> {
    const line = `GET /swarm_members?swarm_id=eq.${this.swarm}&user_id=eq.${user.userId}`;
    return (await this.one(SERVICE, line)).id;
  }

  say(as: Principal, content: string, more: Record<string, unknown> = {}): Promise<Row> {
    return this.one(as, "POST /messages", { swarm_id: this.swarm, content, ...more });
  }

  addAgent(as: Principal, name = "Ada"): Promise<Row> {
    return this.one(as, "POST /agents", { name });
  }
}

export async function openWorld(stage: RestStage): Promise<SwarmWorld> {
  const [owner, admin, member, viewer, stranger] = [
    await stage.addUser(),
    await stage.addUser(),
    await stage.addUser(),
    await stage.addUser(),
    await stage.addUser(),
  ];
  const people = { owner, admin, member, viewer, stranger };
  const bare = new SwarmWorld(stage, people, "");
  const { id } = await bare.one(owner, "POST /swarms", { name: "Room" });
  for (const [role, user] of Object.entries({ admin, member, viewer })) {
    const invitation = { swarm_id: id, user_id: user.userId, role };
    const membership = await bare.one(owner, "POST /swarm_members", invitation);
    assert.deepEqual([membership["status"], membership["joined_at"]], ["invited", null]);
    await bare.one(user, `PATCH /swarm_members?id=eq.${membership.id}`, { status: "active" });
  }
  return new SwarmWorld(stage, people, id);
}
