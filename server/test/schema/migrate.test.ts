import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type pg from "pg";
import { derivePassword, newMasterKey } from "../../src/crypto/index.ts";
import { connectClient, migrate, startEmbedded, withDatabase, withRole } from "../../src/db/index.ts";
import { type Cleanup, type Cluster, sharedCluster } from "../support/database.ts";
import { silentObserver } from "../support/silent-observer.ts";

const FOLDERS = ["migrations", "functions", "comments"].map((name) => new URL(`../../${name}/`, import.meta.url));
const MANY_AGENTS = 100;

function migrateTo(adminUrl: string, masterKey: string, agentLimitPerUser = MANY_AGENTS): ReturnType<typeof migrate> {
  return migrate({ adminUrl, masterKey, observer: silentObserver, settings: { agentLimitPerUser } });
}

/** Migrations, and files of functions and comments. */
async function countMigrations(): Promise<number> {
  const names = await Promise.all(FOLDERS.map((folder) => readdir(folder)));
  return names.flat().filter((name) => name.endsWith(".sql")).length;
}

/** node:test closes in the order of opening; a server must outlive its databases, and they their connections. */
function lastFirst(t: TestContext): Cleanup {
  const closers: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const close of closers.toReversed()) await close();
  });
  return { after: (close) => closers.push(close) };
}

async function connect(t: Cleanup, url: string): Promise<pg.Client> {
  const client = await connectClient(url);
  t.after(() => client.end());
  return client;
}

/** An empty database of the given server; its administrator's URL. */
async function newDatabase(t: Cleanup, { adminUrl }: Pick<Cluster, "adminUrl">, owner?: string): Promise<string> {
  const name = `migrate_${randomBytes(6).toString("hex")}`;
  const admin = await connectClient(adminUrl);
  await admin.query(`create database ${name}${owner === undefined ? "" : ` owner ${owner}`}`);
  t.after(async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });
  return withDatabase(adminUrl, name);
}

/** A server on which nothing of ours exists yet. */
async function startServer(t: Cleanup): Promise<{ adminUrl: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), "swarmbase-migrate-"));
  const superuserPassword = derivePassword(newMasterKey(), "postgres");
  const server = await startEmbedded({ dataDir, wantedPort: 0, superuserPassword, observer: silentObserver });
  t.after(async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  return { adminUrl: server.adminUrl };
}

/** Every row of the catalogues with the transaction that wrote it: equal means that nothing was touched. */
async function fingerprint(client: pg.Client): Promise<string> {
  const catalogues = ["class", "attribute", "proc", "constraint", "index", "policy", "trigger", "namespace", "attrdef"];
  const ours = `select oid from pg_authid where rolname ~ '^(sb_|swarmbase_|anon$|authenticated$|service_role$)'`;
  const sources = [
    ...catalogues.map((name) => `pg_${name}`),
    "private.settings",
    // Roles are shared with the databases of other tests.
    `pg_authid where oid in (${ours})`,
    `pg_auth_members where roleid in (${ours})`,
    "pg_database where datname = current_database()",
  ];
  const parts = sources.map((source, place) => `select ${place} as place, xmin::text, ctid::text from ${source}`);
  const { rows } = await client.query<{ print: string }>(
    `select md5(string_agg(part::text, ',' order by part.place, part.ctid)) as print from (${parts.join(" union all ")}) as part`,
  );
  return rows[0]?.print ?? "";
}

async function canSignIn(url: string, role: string, masterKey: string): Promise<boolean> {
  try {
    await (await connectClient(withRole(url, role, derivePassword(masterKey, role)))).end();
    return true;
  } catch (error) {
    assert.equal((error as { code?: string }).code, "28P01");
    return false;
  }
}

describe("migrating", () => {
  it("applies everything once; a second time it touches nothing", async (context) => {
    const t = lastFirst(context);
    const url = await newDatabase(t, sharedCluster());
    const { masterKey } = sharedCluster();
    const { applied } = await migrateTo(url, masterKey);
    assert.equal(applied.length, await countMigrations());
    const inOrder = applied.map((name) => name.replace("comments/", "then comments/"));
    assert.deepEqual(inOrder, inOrder.toSorted());
    const client = await connect(t, url);
    const before = await fingerprint(client);
    assert.deepEqual(await migrateTo(url, masterKey), { applied: [], waiting: [] });
    assert.equal(await fingerprint(client), before);
    await client.query("alter table public.agents add column extra text");
    assert.notEqual(await fingerprint(client), before);
  });

  for (const count of [2, 5]) {
    it(`happens once when ${count} nodes start together`, async (context) => {
      const t = lastFirst(context);
      const url = await newDatabase(t, sharedCluster());
      const runs = await Promise.all(Array.from({ length: count }, () => migrateTo(url, sharedCluster().masterKey)));
      const lengths = runs.map(({ applied }) => applied.length).toSorted((a, b) => b - a);
      assert.deepEqual(lengths, [await countMigrations(), ...Array.from({ length: count - 1 }, () => 0)]);
    });
  }

  it("writes the settings that the schema needs", async (context) => {
    const t = lastFirst(context);
    const url = await newDatabase(t, sharedCluster());
    const { masterKey } = sharedCluster();
    const client = await connect(t, url);
    for (const limit of [7, 0, 100]) {
      await migrateTo(url, masterKey, limit);
      const { rows } = await client.query("select name, value from private.settings");
      assert.deepEqual(rows, [{ name: "agent_limit_per_user", value: limit }]);
    }
  });

  it("does what follows as the owner, before another node gets its turn", async (context) => {
    const t = lastFirst(context);
    const adminUrl = await newDatabase(t, sharedCluster());
    const { masterKey } = sharedCluster();
    let inside = 0;
    const afterMigrate = async (client: pg.Client): Promise<void> => {
      inside += 1;
      assert.equal(inside, 1, "alone");
      const { rows } = await client.query("select current_user::text as name, pg_sleep(0.05)::text as slept");
      assert.deepEqual(rows, [{ name: "swarmbase_owner", slept: "" }]);
      inside -= 1;
    };
    const settings = { agentLimitPerUser: MANY_AGENTS };
    const run = () => migrate({ adminUrl, masterKey, observer: silentObserver, settings, afterMigrate });
    await Promise.all([run(), run(), run()]);
  });

  it("leaves nothing half done when something is in the way", async (context) => {
    const t = lastFirst(context);
    const url = await newDatabase(t, sharedCluster());
    const { masterKey } = sharedCluster();
    const client = await connect(t, url);
    await client.query("create table public.agents (mine text)");
    await assert.rejects(migrateTo(url, masterKey), (error: Error & { code?: string }) => {
      assert.equal(error.code, "42P07");
      assert.match(error.message, /"agents" already exists/);
      return true;
    });
    const { rows } = await client.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'v') and n.nspname in ('public', 'auth', 'private')`,
    );
    assert.deepEqual(rows, [{ name: "agents" }]);
    const functions = await client.query(
      "select proname from pg_proc where pronamespace::regnamespace::text in ('auth', 'private', 'public')",
    );
    assert.deepEqual(functions.rows, []);
    await client.query("drop table public.agents");
    assert.equal((await migrateTo(url, masterKey)).applied.length, await countMigrations());
  });

  it("of two databases of a new server goes well at the same time, and a new master key brings new passwords", async (context) => {
    const t = lastFirst(context);
    const server = await startServer(t);
    const [first, second] = [await newDatabase(t, server), await newDatabase(t, server)];
    const [oldKey, newKey] = [newMasterKey(), newMasterKey()];
    const runs = await Promise.all([migrateTo(first, oldKey), migrateTo(second, oldKey)]);
    const expected = await countMigrations();
    assert.deepEqual(
      runs.map(({ applied }) => applied.length),
      [expected, expected],
    );
    const signedIn = (key: string) =>
      Promise.all(["swarmbase_owner", "sb_user", "sb_service"].map((role) => canSignIn(first, role, key)));
    assert.deepEqual(await signedIn(oldKey), [true, true, true]);
    assert.deepEqual(await migrateTo(first, newKey), { applied: [], waiting: [] });
    assert.deepEqual(await signedIn(newKey), [true, true, true]);
    assert.deepEqual(await signedIn(oldKey), [false, false, false]);
    const admin = await connect(t, server.adminUrl);
    const { rows } = await admin.query(
      "select rolname from pg_authid where rolname = any ($1) and rolpassword !~ '^SCRAM-SHA-256\\$'",
      [["swarmbase_owner", "sb_user", "sb_service"]],
    );
    assert.deepEqual(rows, []);
  });

  it("works for an administrator who is no superuser", async (context) => {
    const t = lastFirst(context);
    const server = await startServer(t);
    const superuser = await connect(t, server.adminUrl);
    await superuser.query("create role plain_admin login createrole password 'plain'");
    const [first, second] = [await newDatabase(t, server, "plain_admin"), await newDatabase(t, server, "plain_admin")];
    const masterKey = newMasterKey();
    const asAdmin = (url: string) => migrateTo(withRole(url, "plain_admin", "plain"), masterKey);
    const expected = await countMigrations();
    const runs = await Promise.all([asAdmin(first), asAdmin(second)]);
    assert.deepEqual(
      runs.map(({ applied }) => applied.length),
      [expected, expected],
    );
    assert.deepEqual(await asAdmin(first), { applied: [], waiting: [] });
    const service = await connect(t, withRole(first, "sb_service", derivePassword(masterKey, "sb_service")));
    const { rows } = await service.query<{ id: string }>(
      "insert into auth.users (email) values ('a@example.com') returning id",
    );
    const user = await connect(t, withRole(first, "sb_user", derivePassword(masterKey, "sb_user")));
    await user.query("begin");
    await user.query("select set_config('role', 'authenticated', true), set_config('request.jwt.claims', $1, true)", [
      JSON.stringify({ sub: rows[0]?.id, role: "authenticated" }),
    ]);
    const made = await user.query("insert into public.agents (name) values ('Ada') returning status");
    assert.deepEqual(made.rows, [{ status: "idle" }]);
    await user.query("rollback");
    await service.query("begin; set local role service_role");
    assert.equal((await service.query("select id from public.profiles")).rowCount, 1);
    await service.query("rollback");
    await assert.rejects(user.query("set role service_role"), { code: "42501" });
  });
});
