import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { EVENT_TYPES, verifyWebhook } from "@swarmbase/sdk";
import type pg from "pg";
import { Webhook } from "standardwebhooks";
import { createTestDatabase } from "../../../server/test/support/database.ts";
import { closeAfter, type Program, runProgram } from "../../../server/test/support/program.ts";
import { type CommandHere, runHere, startHere } from "../../../server/test/support/run-here.ts";
import { findFreePort } from "../../../server/test/support/free-port.ts";
import { type ServiceHere, startServiceHere } from "../../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { SEVERAL_STARTS } from "../../../server/test/support/wait-limit.ts";
import { until } from "../../../server/test/support/until.ts";

interface Stage {
  readonly env: Record<string, string>;
  readonly sql: pg.Client;
  startService(): Promise<void>;
  stopService(): Promise<void>;
  newUser(email: string): Promise<string>;
  /** A change that is an event, `agent.created`. */
  newAgent(userId: string): Promise<void>;
  /** The command in this process. Resolves when it is ready. */
  listenHere(args: string[]): Promise<CommandHere>;
  /** A program of its own, for what signals do. */
  listen(args: string[]): Promise<Program>;
}

async function openStage(t: TestContext): Promise<Stage> {
  const cleanup = { after: (close: () => Promise<void>) => closeAfter(t, close) };
  const { owner: sql, adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-listen-");
  const settings = { DATABASE_URL, MASTER_KEY, NODE_ENV: "test" };
  const env = { ...settings, DATA_DIR: dataDir };
  const PORT = String(await findFreePort());
  let service: ServiceHere;
  const startService = async (): Promise<void> => {
    service = await startServiceHere(cleanup, { dataDir, env: { ...settings, PORT } });
  };
  await startService();
  return {
    env,
    sql,
    startService,
    stopService: async () => {
      await service.stop();
      // A reader that waits does not delay the stop.
      assert.doesNotMatch(service.output(), /http\.stop_forced/);
    },
    async newUser(email) {
      const { rows } = await sql.query<{ id: string }>("insert into auth.users (email) values ($1) returning id", [
        email,
      ]);
      return rows[0]?.id ?? "";
    },
    newAgent: async (userId) => {
      await sql.query("insert into public.agents (user_id, name) values ($1, 'Ada')", [userId]);
    },
    listenHere: async (args) => {
      const command = startHere(["listen", ...args], env);
      closeAfter(t, command.stop);
      await printed(command, /Ctrl-C/);
      return command;
    },
    listen: async (args) => {
      const program = runProgram(t, ["listen", ...args], { env });
      await printed(program, /Ctrl-C/);
      return program;
    },
  };
}

async function printed({ stdout, stderr }: Pick<Program, "stdout" | "stderr">, expected: RegExp): Promise<string[]> {
  const state = (): string => `${stdout()}\n${stderr()}`;
  await until(() => expected.test(stdout()), `${expected} is printed`, state);
  return [...(expected.exec(stdout()) ?? [])];
}

interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly url: string;
}

/** The program of a developer: plain HTTP, with the given responses in order. */
async function startProgramUnderDevelopment(t: TestContext, statuses: number[]) {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      got.push({ headers: request.headers, body, url: request.url ?? "" });
      response.writeHead(statuses.shift() ?? 200, { "x-program": "mine" }).end("answer");
    });
  });
  const start = async (port = 0): Promise<number> => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  };
  const stop = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
  };
  closeAfter(t, stop);
  const port = await start();
  return { got, url: `http://127.0.0.1:${port}/hook?from=swarmbase`, stop, start: () => start(port) };
}

const EVENT_LINE = / {2}agent\.created {2}evt_[0-9a-f-]{36} {2}/;
const feedsOf = async ({ sql }: Stage): Promise<string[]> =>
  (await sql.query<{ name: string }>("select name from public.event_feeds order by created_at")).rows.map(
    ({ name }) => name,
  );

test("on a running service", SEVERAL_STARTS, async (t) => {
  const stage = await openStage(t);
  let ada = "";
  let firstSecret = "";

  await t.test(
    "events are forwarded as signed deliveries, repeated after an error, and nothing is left behind",
    async () => {
      const noAccount = await runHere(["listen"], stage.env);
      assert.equal(noAccount.code, 1);
      assert.match(noAccount.stderr, /^There is no account yet/);

      ada = await stage.newUser("ada@example.test");
      const { got, url } = await startProgramUnderDevelopment(t, [500, 200, 400, 400, 400]);
      const program = await stage.listen(["--forward", url, "--events", "agent.created,agent.deleted"]);
      [, firstSecret = ""] = await printed(program, /^Secret: {2}(whsec_\S+)$/m);
      assert.match(program.stdout(), /^Listening to the events of ada@example\.test: agent\.created, agent\.deleted$/m);

      await stage.newAgent(ada);
      await printed(program, / {2}forwarded: 500 \(\d+ ms\)\n[^]* {2}forwarded: 200 /);
      assert.match(program.stdout(), EVENT_LINE);
      assert.equal(got.length, 2);
      assert.equal(new Set(got.map(({ headers }) => headers["x-service-delivery"])).size, 1);
      const { rows } = await stage.sql.query("select payload::text as body from private.event_feed_entries");
      for (const { headers, body, url: path } of got) {
        assert.equal(path, "/hook?from=swarmbase");
        assert.equal(body, rows[0].body);
        assert.equal((await verifyWebhook(body, headers, firstSecret)).type, "agent.created");
        new Webhook(firstSecret).verify(body, headers as Record<string, string>);
        assert.equal(headers["content-type"], "application/json");
        assert.equal(headers["user-agent"], "Swarmbase-Webhooks/1");
      }
      // An event that always fails does not stop the next one.
      await stage.newAgent(ada);
      await stage.newAgent(ada);
      await until(() => got.length === 6, "the next event follows three errors");
      assert.doesNotMatch(program.stdout(), /"type"/, "bodies were not asked for");

      assert.deepEqual(await program.stop("SIGINT"), { code: 0, signal: null });
      assert.match(program.stdout(), /The feed was removed\.\n$/);
      assert.deepEqual(await feedsOf(stage), []);
    },
  );

  await t.test("bodies are shown where nothing is forwarded; a killed run is continued by the next one", async () => {
    const bob = await stage.newUser("bob@example.test");
    const unsaid = await runHere(["listen"], stage.env);
    assert.equal(unsaid.code, 1);
    assert.match(unsaid.stderr, /name one with --user/);
    for (const user of ["eve@example.test", randomUUID()]) {
      const unknown = await runHere(["listen", "--user", user], stage.env);
      assert.equal(unknown.code, 1);
      assert.match(unknown.stderr, new RegExp(`There is no account ${user}`));
    }

    const byEmail = await stage.listenHere(["--user", "ada@example.test"]);
    assert.ok(byEmail.stdout().includes(EVENT_TYPES.join(", ")));
    assert.doesNotMatch(byEmail.stdout(), /Secret/);
    const free = await startProgramUnderDevelopment(t, []);
    await free.stop();
    const byId = await stage.listen(["--user", bob, "--forward", free.url, "--filter", '{"data":{"name":"nobody"}}']);
    await stage.newAgent(ada);
    const [, body = ""] = await printed(byEmail, /agent\.created {2}\S+ {2}received\n(\{.*\})\n/);
    assert.equal((JSON.parse(body) as { type: string }).type, "agent.created");

    await byId.stop("SIGKILL");
    await stage.sql.query("update public.event_feeds set filter = null");
    const events =
      "select 1 from private.event_feed_entries e join public.event_feeds f on f.id = e.feed_id where f.user_id = $1";
    await stage.newAgent(bob);
    await until(async () => (await stage.sql.query(events, [bob])).rowCount === 1, "the feed has the event");
    const again = await stage.listen(["--user", bob, "--forward", free.url, "--events", "agent.created"]);
    assert.match(again.stdout(), /^Continues after the last event of an earlier run\.$/m);
    // Until the program answers.
    await printed(again, /not forwarded: .+ECONNREFUSED/);
    await free.start();
    await printed(again, / {2}forwarded: 200 /);
    assert.equal(free.got.length, 1);
    assert.equal(again.stdout().match(/not forwarded/g)?.length, 1);
    const beside = await stage.listenHere(["--user", bob]);
    assert.doesNotMatch(beside.stdout(), /Continues/);
    assert.equal((await feedsOf(stage)).length, 3);
    assert.equal((await again.stop("SIGTERM")).code, 0);
    for (const program of [beside, byEmail]) assert.equal(await program.stop(), 0);
    assert.deepEqual(await feedsOf(stage), []);
  });

  await t.test("a feed with a name is kept, and the next run continues in it", async () => {
    await stage.sql.query("insert into public.event_types (name) values ('app.order.paid')");
    const emit = async (total: number): Promise<void> => {
      await stage.sql.query("select public.emit_event('app.order.paid', json_build_object('total', $1::int))", [total]);
    };
    const args = ["--user", ada, "--feed", "Orders", "--app-events", "--events", "app.order.paid"];
    const first = await stage.listenHere([...args, "--filter", '{"data": {"total": {"$gte": 10}}}']);
    await emit(5);
    await emit(10);
    await printed(first, /"total" : 10/);
    assert.equal(await first.stop(), 0);
    assert.match(first.stdout(), /The feed "Orders" is kept\.\n$/);
    assert.doesNotMatch(first.stdout(), /"total" : 5/);
    await emit(7);
    await emit(20);
    const second = await stage.listenHere([
      "--user",
      ada,
      "--feed",
      "Orders",
      "--forward",
      "http://127.0.0.1:1/",
      "--bodies",
    ]);
    await printed(second, /not forwarded/);
    assert.equal(await second.stop(), 0);
    const third = await stage.listenHere(["--user", ada, "--feed", "Orders"]);
    await printed(third, /"total" : 20/);
    assert.doesNotMatch(third.stdout(), /"total" : (?:7|10)/);
    await stage.sql.query("delete from public.event_feeds");
    assert.equal(await third.ended, 1);
    assert.match(third.stderr(), /The event feed does not exist/);
  });

  await t.test("what the service rejects is said, and creates no feed", async () => {
    for (const [option, value, fault] of [
      ["--events", "agent.created,agent.exploded", /agent\.exploded/],
      ["--filter", '{"data":{"$no":1}}', /filter\.data\.\$no is not an operator/],
      ["--feed", "a".repeat(101), /name/],
    ] as const) {
      const { code, stderr } = await runHere(["listen", "--user", ada, option, value], stage.env);
      assert.deepEqual([code, fault.test(stderr)], [1, true], stderr);
    }
    assert.deepEqual(await feedsOf(stage), []);
  });

  await t.test("a run continues when the service has been restarted, and can end while it is stopped", async () => {
    const program = await stage.listenHere(["--user", ada]);
    await stage.stopService();
    await printed(program, /The service does not answer at .+ Trying again\.\n/);
    await stage.startService();
    await printed(program, /The service answers again\.\n/);
    await stage.newAgent(ada);
    await printed(program, /received\n/);
    await stage.stopService();
    await printed(program, /Trying again\.\n[^]*Trying again\.\n/);
    assert.equal(await program.stop(), 1);
    assert.match(program.stderr(), /remains until the next ".*swarmbase listen"/);
    const unreachable = await runHere(["listen"], stage.env);
    assert.equal(unreachable.code, 1);
    assert.match(unreachable.stderr, /does not answer at .+ Is it running\?/);
  });
});
