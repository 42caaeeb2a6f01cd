import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { ServerResponse } from "node:http";
import { after, before, describe, it } from "node:test";
import type { AuthHooks } from "../../src/auth/hooks/open-hooks.ts";
import type { Observer } from "../../src/observe/index.ts";
import { findFreePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";
import { onNode, signUp } from "./support/accounts.ts";
import { createAuthContext, type TestAuthContext } from "./support/auth-context.ts";
import { type HookStage, openHookStage, SECRET } from "./support/hook-stage.ts";
import { rejection } from "./support/rejection.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let auth: TestAuthContext;
let stage: HookStage;
before(async () => {
  auth = await createAuthContext(cleanup);
  stage = await openHookStage(cleanup, auth);
});
after(async () => {
  for (const close of closers) await close();
});

const NAME = "BEFORE_USER_CREATED";
const TIMEOUT = { [`AUTH_HOOK_${NAME}_TIMEOUT_MS`]: "300" };
const LARGE = 10_000_000;
let people = 0;
const newEmail = (): string => `fault-${(people += 1)}@example.com`;

async function listHooks(hooks: AuthHooks) {
  const { body } = await auth.call("GET", "/admin/hooks", { token: auth.serviceRoleKey, node: { hooks } });
  return (body as { hooks: { name: string; failures: { reason: string; count: number; at: string }[] }[] }).hooks;
}

/** The reason under which the failure of the only hook is counted. */
async function reasonOf(hooks: AuthHooks, code: string, status: number): Promise<string | undefined> {
  await auth.database.owner.query("delete from private.hook_failures");
  await assert.rejects(signUp(onNode(auth, { hooks }), newEmail()), rejection(status, code));
  const [listed] = await listHooks(hooks);
  assert.equal(listed?.failures.length, 1);
  assert.equal(listed.failures[0]?.count, 1);
  return listed.failures[0].reason;
}

const json = (response: ServerResponse, text: string | Buffer): void =>
  void response.writeHead(200, { "content-type": "application/json" }).end(text);

describe("an HTTP hook that", () => {
  const cases: readonly [
    title: string,
    answer: (response: ServerResponse) => void,
    reason: string,
    code: string,
    status: number,
  ][] = [
    ["hangs", () => {}, "timeout", "hook_timeout", 422],
    [
      "sends its answer too slowly",
      (response) => void response.writeHead(200, { "content-type": "application/json" }).write("{"),
      "timeout",
      "hook_timeout",
      422,
    ],
    [
      "returns 10 MB",
      (response) => json(response, Buffer.alloc(LARGE, 32)),
      "answer too large",
      "hook_payload_over_size_limit",
      422,
    ],
    ["returns invalid JSON", (response) => json(response, "{"), "answer not JSON", "unexpected_failure", 500],
    ["returns no object", (response) => json(response, "[]"), "answer not an object", "unexpected_failure", 500],
    [
      "returns another content type",
      (response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      "answer not JSON by its content type",
      "hook_payload_invalid_content_type",
      400,
    ],
    ["fails", (response) => void response.writeHead(500).end("secret text"), "status 500", "unexpected_failure", 500],
    [
      "fails with JSON that is no decision",
      (response) => {
        response.writeHead(500, { "content-type": "application/json" });
        response.end('{"error":"Failed","details":{"error":{"message":"x"}}}');
      },
      "status 500",
      "unexpected_failure",
      500,
    ],
    [
      "redirects",
      (response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
      "redirect",
      "unexpected_failure",
      500,
    ],
    ["closes the connection", (response) => void response.socket?.destroy(), "reset", "unexpected_failure", 500],
    [
      "returns a compressed answer",
      (response) =>
        void response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" }).end("x"),
      "protocol",
      "unexpected_failure",
      500,
    ],
    [
      "returns an error without a message",
      (response) => json(response, '{"error":{"http_code":400}}'),
      "error without a message",
      "unexpected_failure",
      500,
    ],
  ];
  for (const [title, answer, reason, code, status] of cases)
    it(`${title} is refused with a code of its own, and listed`, async () => {
      stage.answerBy((_request, response) => answer(response));
      const limit = code === "hook_timeout" ? TIMEOUT : {};
      assert.equal(await reasonOf(stage.open(stage.at("http", NAME, limit)), code, status), reason);
    });

  it("is away is refused, and listed", async () => {
    const env = {
      ...stage.at("http", NAME),
      [`AUTH_HOOK_${NAME}_URI`]: `http://127.0.0.1:${await findFreePort()}/hook`,
    };
    assert.equal(await reasonOf(stage.open(env), "unexpected_failure", 500), "connect refused");
  });

  it("gives its decision with another status is heard", async () => {
    stage.answerBy((_request, response) => {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { http_code: 418, message: "Teapots only" } }));
    });
    const node = onNode(auth, { hooks: stage.open(stage.at("http", NAME)) });
    await assert.rejects(signUp(node, newEmail()), rejection(418, "hook_refused", /^Teapots only$/));
  });

  it("names a status that is none of an error gets 500, and a long message is cut", async () => {
    await stage.answer({ error: { http_code: 200, message: "x".repeat(10_000) } });
    const node = onNode(auth, { hooks: stage.open(stage.at("http", NAME)) });
    await assert.rejects(signUp(node, newEmail()), rejection(500, "unexpected_failure", /^x{500}$/));
  });

  it("answers nothing admits an account, with 200, 202 and 204", async () => {
    const node = onNode(auth, { hooks: stage.open(stage.at("http", NAME)) });
    for (const status of [200, 202, 204]) {
      stage.answerBy((_request, response) => void response.writeHead(status).end());
      await signUp(node, newEmail());
    }
  });

  it("verifies our signature by the Standard Webhooks scheme accepts it, with each of several secrets", async () => {
    await stage.answer({});
    const other = `v1,whsec_${Buffer.alloc(24, 9).toString("base64")}`;
    const env = { ...stage.at("http", NAME), [`AUTH_HOOK_${NAME}_SECRET`]: `${SECRET}|${other}` };
    stage.requests.length = 0;
    await signUp(onNode(auth, { hooks: stage.open(env) }), newEmail());
    const [{ headers, body } = assert.fail()] = stage.requests;
    const [id, timestamp] = [headers["webhook-id"], headers["webhook-timestamp"]];
    assert.match(timestamp ?? "", /^\d{10}$/);
    const expected = [SECRET, other].map((secret) => {
      const key = Buffer.from(secret.slice("v1,whsec_".length), "base64");
      return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
    });
    assert.equal(headers["webhook-signature"], expected.join(" "));
    assert.equal(id, (JSON.parse(body) as { metadata: { uuid: string } }).metadata.uuid);
  });
});

describe("a function that", () => {
  const open = (name: string, limit = {}): AuthHooks =>
    stage.open({ [`AUTH_HOOK_${NAME}_URI`]: `pg-functions://postgres/app/${name}`, ...limit });
  const define = async (name: string, body: string, limit = {}): Promise<AuthHooks> => {
    await auth.database.owner.query(
      `create or replace function app.${name}(event jsonb) returns jsonb language plpgsql as $$ begin ${body} end $$;
       grant execute on function app.${name}(jsonb) to sb_hook`,
    );
    return open(name, limit);
  };
  const cases: readonly [title: string, body: string, reason: string, code: string, status: number][] = [
    ["hangs", "perform pg_sleep(60); return '{}';", "timeout", "hook_timeout", 422],
    [
      "hangs and catches the time limit",
      "loop begin perform pg_sleep(60); exception when query_canceled then null; end; end loop;",
      "timeout",
      "hook_timeout",
      422,
    ],
    [
      "returns 10 MB",
      `return jsonb_build_object('x', repeat('x', ${LARGE}));`,
      "answer too large",
      "hook_payload_over_size_limit",
      422,
    ],
    ["returns no object", "return '[]';", "answer not an object", "unexpected_failure", 500],
    ["raises", "raise exception 'secret text';", "SQLSTATE P0001", "unexpected_failure", 500],
    ["commits", "commit; return '{}';", "SQLSTATE 2D000", "unexpected_failure", 500],
  ];
  for (const [title, body, reason, code, status] of cases)
    it(`${title} is refused with a code of its own, and listed`, async () => {
      const hooks = await define(`hook_${(people += 1)}`, body, code === "hook_timeout" ? TIMEOUT : {});
      assert.equal(await reasonOf(hooks, code, status), reason);
      const running =
        "select from pg_stat_activity where usename = 'sb_hook' and datname = current_database() and state = 'active'";
      await until(async () => (await auth.database.owner.query(running)).rows.length === 0, "the function has ended");
    });

  it("does not exist, or may not be called, is refused", async () => {
    assert.equal(await reasonOf(open("absent"), "unexpected_failure", 500), "SQLSTATE 42883");
    const hooks = await define("revoked", "return '{}';");
    await auth.database.owner.query("revoke execute on function app.revoked(jsonb) from sb_hook");
    assert.equal(await reasonOf(hooks, "unexpected_failure", 500), "SQLSTATE 42501");
  });

  it("returns null has answered nothing", async () => {
    await signUp(onNode(auth, { hooks: await define("silent", "return null;") }), newEmail());
  });

  for (const statement of [
    "select count(*) from auth.users",
    "select count(*) from private.mail_outbox",
    "select count(*) from public.profiles",
    "set local role service_role",
    "set local role sb_service",
    "set local role authenticated",
    "set session authorization sb_service",
    "create temp table escaped (id int)",
    "create table app.escaped (id int)",
    "insert into private.hook_failures (hook, reason) values ('x', 'x')",
  ])
    it(`tries \`${statement}\` may not`, async () => {
      const hooks = await define("escape", `execute $s$${statement}$s$; return '{}';`);
      assert.equal(await reasonOf(hooks, "unexpected_failure", 500), "SQLSTATE 42501");
    });

  it("changes settings of its session changes none for the next call", async () => {
    const hooks = await define(
      "settings",
      `if current_setting('search_path') like '%evil%' then raise exception 'kept'; end if;
       perform set_config('search_path', 'evil', false), set_config('statement_timeout', '0', false);
       perform pg_advisory_lock(4711);
       return '{}';`,
    );
    for (let call = 0; call < 3; call += 1) await signUp(onNode(auth, { hooks }), newEmail());
    const { rows } = await auth.database.owner.query(
      "select from pg_locks where locktype = 'advisory' and objid = 4711",
    );
    assert.deepEqual(rows, []);
  });

  it("has written before a refusal has written it for good", async () => {
    await auth.database.owner.query("create table app.attempts (email text); grant insert on app.attempts to sb_hook");
    const hooks = await define(
      "counting",
      `insert into app.attempts values (event -> 'user' ->> 'email');
       return '{"error": {"http_code": 403, "message": "No"}}';`,
    );
    const email = newEmail();
    await assert.rejects(signUp(onNode(auth, { hooks }), email), rejection(403, "hook_refused"));
    const { rows } = await auth.database.owner.query("select email from app.attempts");
    assert.deepEqual(rows, [{ email }]);
  });
});

describe("operators", () => {
  it("see what is configured, without secrets, and the latest failures of all nodes", async () => {
    await auth.database.owner.query("delete from private.hook_failures");
    const env = {
      ...stage.at("sql", "SEND_EMAIL", { AUTH_HOOK_SEND_EMAIL_TIMEOUT_MS: "700" }),
      ...stage.at("http", NAME, { [`AUTH_HOOK_${NAME}_ON_FAILURE`]: "continue" }),
    };
    env[`AUTH_HOOK_${NAME}_URI`] += "?code=hidden";
    const hooks = stage.open(env);
    stage.answerBy((_request, response) => void response.writeHead(503).end());
    for (let call = 0; call < 2; call += 1) await signUp(onNode(auth, { hooks }), newEmail());
    const listed = await listHooks(hooks);
    assert.deepEqual(
      listed.map(({ failures, ...hook }) => [hook, failures.map(({ reason, count }) => [reason, count])]),
      [
        [
          {
            name: "before_user_created",
            kind: "http",
            target: `${stage.at("http", NAME)[`AUTH_HOOK_${NAME}_URI`]}?code=***`,
            policy: "continue",
            timeout_ms: 5000,
          },
          [["status 503", 2]],
        ],
        [{ name: "send_email", kind: "sql", target: "app.hook", policy: "deny", timeout_ms: 700 }, []],
      ],
    );
    assert.doesNotMatch(JSON.stringify(listed), /whsec|hidden/);
    await assert.rejects(auth.call("GET", "/admin/hooks", { token: auth.anonKey }), rejection(403, "not_admin"));
  });

  it("find one line in the log for each failure", async () => {
    const notes: unknown[] = [];
    const observer = { note: (...note: unknown[]) => void notes.push(note) } as unknown as Observer;
    const hooks = stage.open(stage.at("http", NAME), observer);
    stage.answerBy((_request, response) => void response.writeHead(500).end("secret text"));
    await assert.rejects(signUp(onNode(auth, { hooks }), newEmail()));
    assert.deepEqual(notes, [["hook.failed", { hook: "before_user_created", reason: "status 500", error: undefined }]]);
  });
});
