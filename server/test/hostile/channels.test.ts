import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { createClient, type RealtimeChannel, type SupabaseClient } from "@supabase/supabase-js";
import pg from "pg";
import { Agent, fetch } from "undici";
import { WebSocket } from "ws";
import { translateScopeError } from "../../src/auth/index.ts";
import { createPrivateTopics } from "../../src/realtime/index.ts";
import { systemClock } from "../../src/time/index.ts";
import { FeedStage, principalOf } from "../realtime/feed-stage.ts";
import { RawClient } from "../realtime/support/raw-client.ts";
import { createTokens, openStage } from "../realtime/support/realtime-stage.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { startServiceHere } from "../support/service-here.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { WAIT_MS } from "../support/wait-limit.ts";
import { until } from "../support/until.ts";

interface User {
  readonly id: string;
  readonly client: SupabaseClient;
}

interface Listener {
  readonly channel: RealtimeChannel;
  readonly heard: unknown[];
  readonly statuses: string[];
}

/** Guests hear and speak on topics of their own. */
const POLICIES = `
  create table public.guests (topic text, user_id uuid);
  grant select on public.guests to authenticated;
  create policy guests_hear on realtime.messages for select to authenticated using (exists (
    select from public.guests g where g.topic = (select realtime.topic()) and g.user_id = (select auth.uid())));
  create policy guests_speak on realtime.messages for insert to authenticated with check (exists (
    select from public.guests g where g.topic = (select realtime.topic()) and g.user_id = (select auth.uid())))`;

describe("private channels", () => {
  const closers: (() => Promise<unknown>)[] = [];
  const cleanup = { after: (close: () => Promise<unknown>) => void closers.push(close) };
  let database: TestDatabase;
  const tokens = createTokens();
  /** Connects to the service, which checks the policies of open channels only every hour. */
  let connect: () => SupabaseClient;
  /** The address of another node, which does so every second. */
  let otherNode: string;
  let owner: User;
  let swarmId: string;

  before(async () => {
    database = await createTestDatabase(cleanup);
    await database.owner.query(POLICIES);
    otherNode = await openOtherNode();
    connect = await openService();
    owner = await signUp("owner");
    const { data } = await owner.client.from("swarms").insert({ name: "Room" }).select().single();
    swarmId = data.id;
  });
  after(async () => {
    for (const close of closers.toReversed()) await close();
  });

  async function openService(): Promise<() => SupabaseClient> {
    const { adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = database;
    const { credentials } = await startServiceHere(cleanup, {
      dataDir: await createTemporaryFolder(cleanup, "swarmbase-channels-"),
      env: { DATABASE_URL, MASTER_KEY, ROLES: "api,realtime", REALTIME_RECHECK_INTERVAL_SECONDS: "3600" },
    });
    const ca = await readFile(credentials.ca_cert_file ?? "", "utf8");
    const dispatcher = new Agent({ connect: { ca } });
    cleanup.after(() => dispatcher.close());
    class TrustingSocket extends WebSocket {
      constructor(address: string | URL, protocols?: string | string[]) {
        super(address, protocols, { ca });
      }
    }
    return () => {
      const client = createClient(credentials.url, credentials.anon_key, {
        auth: { persistSession: false, autoRefreshToken: false },
        global: { fetch: ((input: string, init: object) => fetch(input, { ...init, dispatcher })) as never },
        realtime: { transport: TrustingSocket as never },
      });
      cleanup.after(async () => {
        await client.removeAllChannels();
        await client.realtime.disconnect();
      });
      return client;
    };
  }

  async function openOtherNode(): Promise<string> {
    const node = new FeedStage(database).startNode();
    cleanup.after(() => node.stop());
    const privateTopics = createPrivateTopics({
      database: node.database,
      settings: { dbSchemas: ["public"], dbStatementTimeoutMs: 5_000 },
      newId: randomUUID,
      translateEnter: translateScopeError,
    });
    const { url } = await openStage(cleanup, {
      changes: node.changes,
      clock: systemClock,
      authenticate: tokens.authenticate,
      privateTopics,
      settings: { realtimeRecheckIntervalSeconds: 1 },
    });
    return url;
  }

  /** Joins on the other node, with a client that ignores the end of its channel. */
  async function joinThere({ id }: User, topic: string): Promise<RawClient> {
    tokens.set(id, { principal: principalOf(id) });
    const client = await RawClient.open(cleanup, otherNode);
    const reply = await client.join(`realtime:${topic}`, { private: true, broadcast: { ack: true } }, id);
    assert.equal(reply["status"], "ok");
    return client;
  }

  async function signUp(name: string): Promise<User> {
    const client = connect();
    const { data, error } = await client.auth.signUp({ email: `${name}@example.com`, password: "correct horse" });
    if (error !== null || data.user === null) throw error ?? new Error("no user");
    return { id: data.user.id, client };
  }

  async function signUpMember(name: string): Promise<User> {
    const user = await signUp(name);
    await database.owner.query(
      "insert into public.swarm_members (swarm_id, user_id, role, status) values ($1, $2, 'member', 'active')",
      [swarmId, user.id],
    );
    return user;
  }

  async function join({ client }: User, topic = `swarm:${swarmId}`): Promise<Listener> {
    const channel = client.channel(topic, { config: { private: true, broadcast: { ack: true } } });
    const heard: unknown[] = [];
    const statuses: string[] = [];
    channel.on("broadcast", { event: "*" }, ({ payload }) => heard.push(payload["text"]));
    channel.on("presence", { event: "sync" }, () => {});
    channel.subscribe((status) => statuses.push(status));
    await until(() => statuses.length > 0, `${topic} is answered`);
    assert.deepEqual(statuses, ["SUBSCRIBED"]);
    return { channel, heard, statuses };
  }

  const say = ({ channel }: Listener, text: string): Promise<string> =>
    channel.send({ type: "broadcast", event: "say", payload: { text } });
  const ended = ({ statuses }: Listener): Promise<void> => until(() => statuses.at(-1) === "CLOSED", "it is closed");

  it("a removed member neither hears nor speaks on the channel of the swarm, on any node", async () => {
    const [bob, dan] = [await signUpMember("bob"), await signUpMember("dan")];
    const [atOwner, atBob, atDan] = [await join(owner), await join(bob), await join(dan)];
    const raw = await joinThere(bob, `swarm:${swarmId}`);
    await atBob.channel.track({ here: true });
    await until(() => Object.keys(atOwner.channel.presenceState()).length >= 1);
    assert.equal(await say(atBob, "let me in"), "ok");
    await until(() => atOwner.heard.length === 1 && atDan.heard.length === 1);

    const { error } = await owner.client.from("swarm_members").delete().eq("user_id", bob.id).eq("swarm_id", swarmId);
    assert.equal(error, null);
    await ended(atBob);
    assert.match(
      String((await raw.nextEvent("system"))[4]["message"]),
      /Unauthorized: You do not have permissions to read from this Channel topic/,
    );
    const [joinRef, ref] = await raw.nextEvent("phx_close");
    assert.deepEqual([joinRef, ref], ["1", "1"]);
    await until(() => Object.keys(atOwner.channel.presenceState()).length === 0, "bob is no longer present");

    const message = { type: "broadcast", event: "say", payload: { text: "still here" } };
    const spoken = await raw.ask("1", `realtime:swarm:${swarmId}`, "broadcast", message);
    assert.equal(spoken["status"], "error");
    assert.equal(await say(atOwner, "without bob"), "ok");
    await until(() => atDan.heard.includes("without bob"));
    assert.deepEqual(atOwner.heard, ["let me in"]);
    assert.deepEqual(atBob.heard, []);
    assert.ok(!raw.binary.some((frame) => frame.includes("without bob")));

    await dan.client.from("swarm_members").delete().eq("user_id", dan.id).eq("swarm_id", swarmId);
    await ended(atDan);
    assert.deepEqual(atOwner.statuses, ["SUBSCRIBED"]);
    await owner.client.removeAllChannels();
  });

  it("a member who is removed during a short interruption of the feed hears nothing more", async () => {
    const hal = await signUpMember("hal");
    const [atHal, raw] = [await join(hal), await joinThere(hal, `swarm:${swarmId}`)];
    const admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    // In one transaction, so that the removal is committed before a node can connect again.
    await admin.query(
      `select pg_terminate_backend(active_pid) from pg_replication_slots where database = current_database();
       delete from public.swarm_members where user_id = '${hal.id}'`,
    );
    await admin.end();
    await ended(atHal);
    await raw.nextEvent("phx_close");
  });

  it("a member who becomes a viewer hears and no longer speaks, and speaks again as a member", async () => {
    const cyn = await signUpMember("cyn");
    const [atOwner, atCyn] = [await join(owner), await join(cyn)];
    assert.equal(await say(atCyn, "1"), "ok");
    const setRole = (role: string) =>
      owner.client.from("swarm_members").update({ role }).eq("user_id", cyn.id).eq("swarm_id", swarmId);
    const sayUntil = async (wanted: string): Promise<void> => {
      for (const deadline = Date.now() + WAIT_MS; (await say(atCyn, wanted)) !== wanted; )
        assert.ok(Date.now() < deadline, `a broadcast was not answered with ${wanted}`);
    };
    await setRole("viewer");
    await sayUntil("error");
    assert.equal(await say(atOwner, "2"), "ok");
    await until(() => atCyn.heard.includes("2"));
    await setRole("member");
    await sayUntil("ok");
    assert.deepEqual(atCyn.statuses, ["SUBSCRIBED"]);
    await owner.client.removeAllChannels();
  });

  it("the deletion of a swarm or an account ends its channels", async () => {
    const { data } = await owner.client.from("swarms").insert({ name: "Short" }).select().single();
    const [atOwner, fred] = [await join(owner, `swarm:${data.id}`), await signUpMember("fred")];
    const atFred = await join(fred);
    await owner.client.from("swarms").delete().eq("id", data.id);
    await ended(atOwner);
    await database.owner.query("delete from auth.users where id = $1", [fred.id]);
    await until(() => atFred.statuses.length > 1);
    // The client tries to join again, in vain.
    assert.equal(atFred.statuses[1], "CHANNEL_ERROR");
    await fred.client.removeAllChannels();
  });

  it("channels under policies of the operator end at a bounded age, and at once on realtime.recheck", async () => {
    const gus = await signUp("gus");
    await database.owner.query("insert into public.guests values ('club', $1), ('bar', $1)", [gus.id]);
    const [atClub, atBar, thereAtBar] = [await join(gus, "club"), await join(gus, "bar"), await joinThere(gus, "bar")];
    await database.owner.query("delete from public.guests where topic = 'club'; select realtime.recheck('club')");
    await ended(atClub);
    await database.owner.query("delete from public.guests where topic = 'bar'");
    await thereAtBar.nextEvent("phx_close");
    assert.deepEqual(atBar.statuses, ["SUBSCRIBED"], "the service has not checked it again");
    const { rows } = await database.owner.query<{ role: string; may: boolean }>(
      `select r.role, has_function_privilege(r.role, 'realtime.recheck(text)', 'execute') as may
       from unnest(array['anon', 'authenticated', 'sb_user', 'service_role']) as r (role)`,
    );
    assert.deepEqual(
      rows.filter(({ may }) => may).map(({ role }) => role),
      ["service_role"],
    );
  });
});
