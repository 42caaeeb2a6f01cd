import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { EVENT_TYPES, verifyWebhook } from "@swarmbase/sdk";
import type pg from "pg";
import { createTestDatabase } from "../../../server/test/support/database.ts";
import { closeAfter, type Program, runProgram } from "../../../server/test/support/program.ts";
import { type CommandHere, runHere, startHere } from "../../../server/test/support/run-here.ts";
import { startServiceHere } from "../../../server/test/support/service-here.ts";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { SEVERAL_STARTS } from "../../../server/test/support/wait-limit.ts";
import { until } from "../../../server/test/support/until.ts";

interface Stage {
  readonly env: Record<string, string>;
  readonly sql: pg.Client;
  newUser(email: string): Promise<string>;
  /** A change that is an event, `agent.created`. */
  newAgent(userId: string): Promise<void>;
  /** The command in this process. Resolves when it is ready. */
  listenHere(args: string[]): Promise<CommandHere>;
  /** A program of its own, for what signals do. */
  listen(args: string[]): Promise<Program>;
}

async function openStage(t: TestContext, settings: Record<string, string> = {}): Promise<Stage> {
  const cleanup = { after: (close: () => Promise<void>) => closeAfter(t, close) };
  const { owner: sql, adminUrl: DATABASE_URL, masterKey: MASTER_KEY } = await createTestDatabase(cleanup);
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-listen-");
  const service = { DATABASE_URL, MASTER_KEY, NODE_ENV: "test", WEBHOOK_RETRY_SCHEDULE: "0,1", ...settings };
  await startServiceHere(cleanup, { dataDir, env: service });
  const env = { ...service, DATA_DIR: dataDir };
  return {
    env,
    sql,
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
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closeAfter(t, async () => {
    server.closeAllConnections();
    server.close();
  });
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?from=swarmbase` };
}

test("on a running service", SEVERAL_STARTS, async (t) => {
  const stage = await openStage(t);
  let ada = "";

  await t.test("deliveries are shown and passed on, answers are passed back, and nothing is left behind", async () => {
    const noAccount = await runHere(["listen"], stage.env);
    assert.equal(noAccount.code, 1);
    assert.match(noAccount.stderr, /^There is no account yet/);

    ada = await stage.newUser("ada@example.test");
    const { got, url } = await startProgramUnderDevelopment(t, [500]);
    const program = await stage.listen(["--forward", url, "--events", "agent.created,agent.deleted"]);
    const [, secret = ""] = await printed(program, /^Secret: {2}(whsec_\S+)$/m);
    assert.match(program.stdout(), /^Listening to the events of ada@example\.test: agent\.created, agent\.deleted$/m);
    assert.deepEqual(got, [], "the sample that tries the way is not passed on");

    await stage.newAgent(ada);
    await printed(program, / {2}agent\.created {2}[0-9a-f-]{36} {2}forwarded: 500 \(\d+ ms\)\n[^]*forwarded: 200 /);
    assert.equal(got.length, 2);
    assert.equal(new Set(got.map(({ headers }) => headers["x-service-delivery"])).size, 1);
    for (const { headers, body, url: path } of got) {
      assert.equal(path, "/hook?from=swarmbase");
      assert.equal((await verifyWebhook(body, headers, secret)).type, "agent.created");
      assert.equal(headers["content-type"], "application/json");
    }
    await until(async () => {
      const { rows } = await stage.sql.query(
        "select status, attempts, response_body from public.webhook_deliveries where attempts > 1",
      );
      return rows.length === 1 && rows[0].status === "delivered" && rows[0].response_body === "answer";
    });
    assert.doesNotMatch(program.stdout(), /"type"/, "bodies were not asked for");

    assert.deepEqual(await program.stop("SIGINT"), { code: 0, signal: null });
    assert.match(program.stdout(), /The webhook was removed\.\n$/);
    assert.deepEqual((await stage.sql.query("select id from public.webhooks")).rows, []);
  });

  await t.test("bodies are shown where nothing is passed on; what cannot be passed on is tried again", async () => {
    const bob = await stage.newUser("bob@example.test");
    const unsaid = await runHere(["listen"], stage.env);
    assert.equal(unsaid.code, 1);
    assert.match(unsaid.stderr, /name one with --user/);
    const unknown = await runHere(["listen", "--user", "eve@example.test"], stage.env);
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /There is no account eve@example\.test/);

    const byEmail = await stage.listenHere(["--user", "ada@example.test"]);
    const byId = await stage.listen(["--user", bob, "--forward", "http://127.0.0.1:1/"]);
    assert.ok(byEmail.stdout().includes(EVENT_TYPES.join(", ")));
    await stage.newAgent(ada);
    await stage.newAgent(bob);
    const [, body = ""] = await printed(byEmail, /agent\.created {2}\S+ {2}received\n(\{.*\})\n/);
    assert.equal((JSON.parse(body) as { type: string }).type, "agent.created");
    await printed(byId, /not forwarded: .+\n[^]*not forwarded: /);

    // Killed, it leaves its webhook to the next one, which leaves those alone that still listen or are not of its kind.
    await byId.stop("SIGKILL");
    const namesake = { name: "swarmbase listen", url: "https://example.test/hook" };
    await stage.sql.query(
      "insert into public.webhooks (user_id, name, url, events, is_active) values ($1, $2, $3, '{agent.created}', false)",
      [bob, namesake.name, namesake.url],
    );
    const again = await stage.listenHere(["--user", bob]);
    const beside = await stage.listenHere(["--user", bob]);
    const { rows } = await stage.sql.query("select user_id from public.webhooks where is_active order by created_at");
    assert.deepEqual(rows, [{ user_id: ada }, { user_id: bob }, { user_id: bob }]);
    for (const program of [again, beside, byEmail]) assert.equal(await program.stop(), 0);
    assert.deepEqual((await stage.sql.query("select name, url from public.webhooks")).rows, [namesake]);
  });
});

test("listen explains that the service must not reach this machine, and leaves no webhook", async (t) => {
  const stage = await openStage(t, { WEBHOOK_ALLOWED_CIDRS: "10.0.0.0/8" });
  await stage.newUser("ada@example.test");
  const program = await runHere(["listen"], stage.env);
  assert.equal(program.code, 1);
  assert.match(program.stderr, /127\.0\.0\.1 must not be reached/);
  assert.match(program.stderr, /WEBHOOK_ALLOWED_CIDRS/);
  assert.deepEqual((await stage.sql.query("select id from public.webhooks")).rows, []);
});
