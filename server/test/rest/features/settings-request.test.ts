import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ANON, openRestStage, SERVICE } from "./rest-stage.ts";

const codeOf = (answer: { json: unknown }): string => (answer.json as { code: string }).code;

describe("settings of the request and the response in SQL", () => {
  const opened = openRestStage(
    `create schema shop;
     create table shop.items (id int primary key, name text);
     create view shop.me as select current_setting('request.jwt.claims', true)::json ->> 'sub' as sub,
       current_setting('request.method', true) as method, current_setting('request.path', true) as path,
       current_setting('request.headers', true)::json ->> 'x-own' as own, current_user::text as role;
     create function shop.see() returns json language sql stable as $$ select json_build_object(
       'claims', current_setting('request.jwt.claims', true)::json, 'headers', current_setting('request.headers', true)::json,
       'method', current_setting('request.method', true), 'path', current_setting('request.path', true), 'role', current_user,
       'cookies', current_setting('request.cookies', true)) $$;
     create function shop.say(status text, headers text, is_local boolean default true) returns text language plpgsql as $$
       begin
         if status is not null then perform set_config('response.status', status, is_local); end if;
         if headers is not null then perform set_config('response.headers', headers, is_local); end if;
         return 'said';
       end $$;
     create function shop.rows_said() returns setof shop.items language plpgsql as $$
       begin
         return query select 1, 'x'::text;
         perform set_config('response.status', '202', true);
       end $$;
     create function shop.announce() returns trigger language plpgsql as $$
       begin
         perform set_config('response.headers', '[{"X-Trigger": "' || new.name || '"}]', true);
         perform set_config('response.status', '207', true);
         return new;
       end $$;
     create table shop.announced (id int primary key, name text);
     create trigger announce before insert or update on shop.announced for each row execute function shop.announce();
     create function shop.reject(state text, message text default 'no', detail text default null, hint text default null)
       returns void language plpgsql as $$
       begin
         insert into shop.items values (1000, 'lost');
         if detail is null then raise exception '%', message using errcode = state;
         elsif hint is null then raise exception '%', message using errcode = state, detail = detail;
         else raise exception '%', message using errcode = state, detail = detail, hint = hint; end if;
       end $$;
     grant usage on schema shop to anon, authenticated, service_role;
     grant all on all tables in schema shop to service_role, authenticated;
     grant execute on all functions in schema shop to service_role, authenticated, anon;
     grant insert on shop.items to anon`,
    { schemas: ["shop"] },
  );
  const ask = (...args: Parameters<typeof opened.stage.ask>) => opened.stage.ask(...args);
  const say = (status: unknown, headers: unknown, more: object = {}) =>
    ask("POST /rpc/say", { body: { status, headers, ...more } });
  const reject = (state: string, more: object = {}, as = SERVICE) =>
    ask("POST /rpc/reject", { as, body: { state, ...more } });

  describe("of the request", () => {
    it("claims, headers, method, path and role are available to functions", async () => {
      const user = await opened.stage.addUser();
      for (const [line, body] of [
        ["GET /rpc/see", undefined],
        ["POST /rpc/see", {}],
      ] as const) {
        const answer = await ask(line, {
          as: user,
          headers: { "X-Own": 'a "quoted" thing', cookie: "secret=1" },
          ...(body !== undefined && { body }),
        });
        const seen = answer.json as Record<string, Record<string, string>>;
        assert.deepEqual(seen["claims"], user.claims);
        assert.equal(seen["headers"]?.["x-own"], 'a "quoted" thing');
        assert.equal(seen["method"], line.split(" ")[0]);
        assert.equal(seen["path"], "/rest/v1/rpc/see");
        assert.equal(seen["role"], "authenticated");
        assert.equal(answer.text.includes("secret=1"), false);
      }
    });

    it("views see the settings of their own caller", async () => {
      const users = await Promise.all([opened.stage.addUser(), opened.stage.addUser(), opened.stage.addUser()]);
      const asked = Array.from({ length: 30 }, (_, at) => users[at % 3] ?? users[0]);
      const answers = await Promise.all(
        asked.map((as, at) => ask("GET /me", { ...(as !== undefined && { as }), headers: { "x-own": String(at) } })),
      );
      for (const [at, answer] of answers.entries()) {
        const { role, sub, own, method, path } = (answer.json as Record<string, string>[])[0] ?? {};
        assert.deepEqual([sub, own, method, path], [asked[at]?.userId, String(at), "GET", "/rest/v1/me"]);
        assert.equal(role, "authenticated");
      }
      const nobody = await ask("GET /me", { as: SERVICE });
      assert.deepEqual((nobody.json as object[])[0], {
        sub: null,
        method: "GET",
        path: "/rest/v1/me",
        own: null,
        role: "service_role",
      });
    });
  });

  describe("of the answer", () => {
    it("a function can set the status", async () => {
      const answer = await say("418", null);
      assert.deepEqual([answer.status, answer.json], [418, "said"]);
      const rows = await ask("POST /rpc/rows_said", { body: {} });
      assert.deepEqual([rows.status, rows.json], [202, [{ id: 1, name: "x" }]]);
      const none = await say("204", null);
      assert.deepEqual([none.status, none.text], [204, ""]);
    });

    it("a function can set, replace and repeat headers", async () => {
      const answer = await say(
        null,
        '[{"X-Own": "ä"}, {"Set-Cookie": "a=1"}, {"Set-Cookie": "b=2"}, {"Content-Type": "text/x-own"}]',
      );
      assert.equal(answer.status, 200);
      assert.equal(answer.headers["x-own"], Buffer.from("ä").toString("latin1"));
      assert.equal(answer.headers["set-cookie"], "a=1,b=2");
      assert.equal(answer.headers["content-type"], "text/x-own");
    });

    it("triggers can set them too", async () => {
      for (const [line, body] of [
        ["POST /announced", { id: 1, name: "made" }],
        ["PATCH /announced?id=eq.1", { name: "changed" }],
      ] as const) {
        for (const prefer of ["return=representation", "return=minimal"]) {
          if (line.startsWith("POST") && prefer === "return=minimal") continue;
          const answer = await ask(line, { headers: { prefer }, body });
          assert.deepEqual([answer.status, answer.headers["x-trigger"]], [207, body.name], answer.text);
        }
      }
    });

    it("an invalid status and invalid headers are server errors", async () => {
      for (const status of ["99", "abc", "600", "20"]) {
        const answer = await say(status, null);
        assert.deepEqual([answer.status, codeOf(answer)], [500, "PGRST112"], status);
      }
      for (const headers of [
        "{}",
        "[1]",
        '[{"a":1}]',
        '[{"a":"x","b":"y"}]',
        "nonsense",
        '[{"a b":"x"}]',
        '[{"a":"x\\r\\ny: z"}]',
      ]) {
        const answer = await say(null, headers);
        assert.deepEqual([answer.status, codeOf(answer)], [500, "PGRST111"], headers);
      }
    });

    it("they do not affect the next request, even when set for the session", async () => {
      for (let times = 0; times < 8; times += 1) {
        await say("418", '[{"X-Own": "left"}]', { is_local: false });
        const after = await ask("GET /items?select=id");
        assert.deepEqual([after.status, after.headers["x-own"]], [200, undefined]);
        const called = await ask("GET /rpc/see");
        assert.deepEqual([called.status, called.headers["x-own"]], [200, undefined]);
      }
    });

    it("hop-by-hop headers cannot be set", async () => {
      const answer = await say(
        null,
        '[{"Content-Length": "1"}, {"Transfer-Encoding": "chunked"}, {"X-Request-Id": "x"}]',
      );
      for (const name of ["content-length", "transfer-encoding", "x-request-id"]) {
        assert.equal(answer.headers[name], undefined, name);
      }
    });
  });

  describe("of errors", () => {
    const STATES = {
      "09000": 500,
      "0L000": 403,
      "0P000": 403,
      "22023": 400,
      "22P02": 400,
      "23000": 400,
      "23502": 400,
      "23503": 409,
      "23505": 409,
      "23514": 400,
      "23P01": 400,
      "25000": 500,
      "25006": 405,
      "28000": 403,
      "2D000": 500,
      "38000": 500,
      "39000": 500,
      "3B000": 500,
      "40001": 503,
      "40P01": 503,
      "42501": 403,
      "42883": 404,
      "42P01": 404,
      "42P17": 500,
      "42601": 400,
      "58000": 500,
      F0000: 500,
      HV000: 500,
      P0001: 400,
      P0002: 500,
      XX000: 500,
      ZZ123: 400,
      PT401: 401,
      PT402: 402,
      PT403: 403,
      PT429: 429,
      PT503: 503,
      PT499: 499,
    };
    const FOUR_MEMBERS = ["code", "details", "hint", "message"];
    const OWN_BODIES = new Map([
      [401, { code: "UNAUTHORIZED", members: ["error"] }],
      [403, { code: "FORBIDDEN", members: ["error"] }],
      [429, { code: "RATE_LIMITED", members: ["error", "retry_after"] }],
    ]);
    for (const [state, status] of Object.entries(STATES)) {
      it(`${state} is ${status}`, async () => {
        const answer = await reject(state, { message: "raised", detail: "more", hint: "try" });
        assert.equal(answer.status, status, answer.text);
        const { code, message, details, hint } = answer.json as Record<string, string | null>;
        const isInternal = /^(XX|58|F0)/.test(state);
        const own = OWN_BODIES.get(status);
        assert.equal(code, own?.code ?? state);
        const members = Object.keys(answer.json as object).sort();
        assert.deepEqual(members, [...FOUR_MEMBERS, ...(own?.members ?? [])].sort());
        assert.deepEqual(
          [message === "raised", details, hint],
          isInternal ? [false, null, null] : [true, "more", "try"],
        );
        assert.match(answer.headers["proxy-status"] ?? "", new RegExp(state));
        if (status === 503) assert.ok(Number(answer.headers["retry-after"]) >= 1);
      });
    }

    for (const state of ["08006", "53000", "53300", "57P01", "57P03"]) {
      it(`${state} is 503 with Retry-After`, async () => {
        const answer = await reject(state);
        assert.deepEqual([answer.status, codeOf(answer)], [503, "SERVICE_UNAVAILABLE"]);
        assert.ok(Number(answer.headers["retry-after"]) >= 1);
      });
    }

    it("42501 is 401 for anonymous callers", async () => {
      const answer = await reject("42501", {}, ANON);
      assert.equal(answer.status, 401);
      assert.match(answer.headers["www-authenticate"] ?? "", /^Bearer/);
      const { json } = await reject("42501");
      for (const [body, code] of [
        [answer.json, "UNAUTHORIZED"],
        [json, "FORBIDDEN"],
      ]) {
        const { code: shown, details } = body as Record<string, unknown>;
        assert.deepEqual([shown, details], [code, "SQLSTATE 42501"]);
      }
      const other = await reject("42501", { detail: "The reason" });
      assert.equal((other.json as Record<string, unknown>)["details"], "The reason");
    });

    it("a role that does not exist is 401", async () => {
      const answer = await reject("22023", { message: 'role "nobody" does not exist' });
      assert.deepEqual([answer.status, codeOf(answer)], [401, "UNAUTHORIZED"]);
    });

    it("PGRST sets the whole response", async () => {
      const answer = await reject("PGRST", {
        message: JSON.stringify({ code: "PAY", message: "Payment", details: "d", hint: "h" }),
        detail: JSON.stringify({ status: 402, status_text: "Pay me", headers: { "X-Price": "12" } }),
      });
      assert.equal(answer.status, 402);
      assert.deepEqual(answer.json, { code: "PAY", message: "Payment", details: "d", hint: "h" });
      assert.equal(answer.headers["x-price"], "12");
    });

    it("PGRST with status 401, 403 or 429 has the service's body, and the raised code in Proxy-Status", async () => {
      const raise = (status: number, headers: object) =>
        reject("PGRST", {
          message: JSON.stringify({ code: "PAY", message: "Payment", details: "d", hint: "h" }),
          detail: JSON.stringify({ status, headers }),
        });
      const texts = { message: "Payment", details: "d", hint: "h" };
      const unauthorized = await raise(401, {});
      assert.deepEqual(unauthorized.json, { error: "Unauthorized", code: "UNAUTHORIZED", ...texts });
      assert.equal(unauthorized.headers["www-authenticate"], "Bearer");
      const forbidden = await raise(403, { "X-Price": "12" });
      assert.deepEqual(forbidden.json, { error: "Forbidden", code: "FORBIDDEN", ...texts });
      assert.equal(forbidden.headers["x-price"], "12");
      for (const [sent, seconds] of [
        ["7", 7],
        ["soon", 60],
      ] as const) {
        const limited = await raise(429, { "Retry-After": sent });
        const body = { error: "Too many requests", code: "RATE_LIMITED", ...texts, retry_after: seconds };
        assert.deepEqual([limited.json, limited.headers["retry-after"]], [body, String(seconds)]);
      }
      for (const { headers } of [unauthorized, forbidden])
        assert.equal(headers["proxy-status"], "swarmbase; error=PAY");
    });

    it("PGRST with invalid JSON is PGRST121", async () => {
      const good = { message: '{"code":"a","message":"b"}', detail: '{"status":400,"headers":{}}' };
      for (const more of [
        { ...good, message: "text" },
        { ...good, message: '{"code":"a"}' },
        { ...good, detail: "text" },
        { ...good, detail: '{"status":"x","headers":{}}' },
        { message: good.message },
      ]) {
        const answer = await reject("PGRST", more);
        assert.deepEqual([answer.status, codeOf(answer)], [500, "PGRST121"], JSON.stringify(more));
        assert.ok((answer.json as { details: string }).details.length > 0);
      }
    });

    it("internal SQLSTATEs have no special meaning when functions raise them", async () => {
      for (const state of ["SB001", "SB002", "SB003"]) {
        const answer = await reject(state);
        assert.deepEqual([answer.status, codeOf(answer)], [400, state]);
      }
    });

    it("they roll back earlier changes", async () => {
      assert.deepEqual((await ask("GET /items?id=eq.1000")).json, []);
    });
  });
});
