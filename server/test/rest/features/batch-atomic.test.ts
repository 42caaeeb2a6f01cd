import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError, renderError } from "../../../src/errors/index.ts";
import type { Principal } from "../../../src/db/index.ts";
import type { RestAnswer } from "../../../src/rest/index.ts";
import { ANON, openRestStage, SERVICE } from "./rest-stage.ts";

interface Operation {
  readonly line: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

interface Rejection {
  readonly status: number;
  readonly code: string;
  readonly operation: number | undefined;
}

const SHOWN = { prefer: "return=representation" };
const OBJECT = { accept: "application/vnd.pgrst.object+json" };

describe("operations of a batch", () => {
  const opened = openRestStage(
    `create schema shop;
     create table shop.makers (id int primary key, name text);
     create table shop.items (id int primary key, name text not null, maker_id int references shop.makers);
     create table shop.late (id int primary key, maker_id int references shop.makers deferrable initially deferred);
     create table shop.owned (id uuid primary key default gen_random_uuid(), name text);
     create function shop.count_items() returns int language sql stable as 'select count(*)::int from shop.items';
     create function shop.add_item(id int, name text) returns int language sql as 'insert into shop.items values (id, name) returning id';
     create function shop.fail() returns void language plpgsql as $$ begin raise exception 'no' using errcode = 'PT409'; end $$;
     create function shop.see() returns json language sql stable as $$ select json_build_object('method', current_setting('request.method'),
       'path', current_setting('request.path'), 'own', current_setting('request.headers')::json ->> 'x-own', 'role', current_user,
       'sub', current_setting('request.jwt.claims')::json ->> 'sub') $$;
     create function shop.pretend(claims text) returns void language plpgsql as $$
       begin perform set_config('request.jwt.claims', claims, true); set local role anon; end $$;
     create function shop.say() returns void language plpgsql as $$ begin perform set_config('response.status', '418', true); end $$;
     grant usage on schema shop to anon, authenticated, service_role;
     grant all on all tables in schema shop to service_role;
     grant execute on all functions in schema shop to service_role`,
    { schemas: ["shop"] },
  );

  async function run(
    operations: readonly Operation[],
    principal: Principal = SERVICE,
  ): Promise<readonly (RestAnswer | AppError)[]> {
    const calls = operations.map(({ line, body, headers = {} }) => {
      const [method = "", target = ""] = line.split(" ");
      const [path = "", search = ""] = target.split("?");
      return {
        input: {
          method,
          path,
          search,
          headers,
          body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
          contentType: null,
        },
        path: `/rest/v1${path}`,
        principal,
      };
    });
    const [first, ...others] = calls;
    assert.ok(first);
    return (await opened.stage.rest.answerBatch([first, ...others])).answers;
  }

  async function rejectionOf(operations: readonly Operation[], principal?: Principal): Promise<Rejection> {
    const error = await run(operations, principal).then(
      () => assert.fail("not rejected"),
      (fault: unknown) => fault,
    );
    assert.ok(error instanceof AppError, String(error));
    const { status, body } = renderError(error);
    const { code, operation } = JSON.parse(body) as { code: string; operation?: number };
    return { status, code, operation };
  }

  const bodyOf = (answer: RestAnswer | AppError | undefined): unknown => {
    assert.ok(answer !== undefined && !(answer instanceof AppError));
    return answer.body === null ? null : JSON.parse(answer.body.toString());
  };
  const statusesOf = (answers: readonly (RestAnswer | AppError)[]): number[] => answers.map(({ status }) => status);
  const clear = () => opened.stage.run("truncate shop.makers, shop.items, shop.late, shop.owned");
  const count = async (): Promise<unknown> => {
    const { rows } = await opened.stage.run(
      "select (select count(*) from shop.makers)::int as makers, (select count(*) from shop.items)::int as items",
    );
    return rows[0];
  };

  it("run in order, and each sees the effects of the earlier ones", async () => {
    await clear();
    const answers = await run([
      { line: "POST /makers", body: { id: 1, name: "Ada" } },
      {
        line: "POST /items?select=id,makers(name)",
        body: [
          { id: 1, name: "a", maker_id: 1 },
          { id: 2, name: "b", maker_id: 1 },
        ],
        headers: SHOWN,
      },
      { line: "PATCH /items?maker_id=eq.1&select=id,name&order=id", body: { name: "c" }, headers: SHOWN },
      { line: "POST /rpc/count_items", body: {} },
      { line: "DELETE /items?id=eq.1" },
      { line: "GET /items?select=id,name" },
      { line: "HEAD /items", headers: { prefer: "count=exact" } },
    ]);
    assert.deepEqual(statusesOf(answers), [201, 201, 200, 200, 204, 200, 200]);
    assert.deepEqual(bodyOf(answers[1]), [
      { id: 1, makers: { name: "Ada" } },
      { id: 2, makers: { name: "Ada" } },
    ]);
    assert.deepEqual(bodyOf(answers[2]), [
      { id: 1, name: "c" },
      { id: 2, name: "c" },
    ]);
    assert.equal(bodyOf(answers[3]), 2);
    assert.deepEqual(bodyOf(answers[5]), [{ id: 2, name: "c" }]);
    const head = answers[6];
    assert.ok(head !== undefined && !(head instanceof AppError));
    assert.equal(head.headers["content-range"], "0-0/1");
    assert.deepEqual(await count(), { makers: 1, items: 1 });
  });

  it("are all rolled back when one fails, and the error names its index", async () => {
    await clear();
    const make = { line: "POST /makers", body: { id: 1, name: "Ada" } };
    for (const [failing, status, code] of [
      [{ line: "POST /items", body: { id: 1, name: null } }, 400, "23502"],
      [{ line: "POST /makers", body: { id: 1, name: "again" } }, 409, "23505"],
      [{ line: "POST /items", body: { id: 1, name: "x", maker_id: 9 } }, 409, "23503"],
      [{ line: "POST /rpc/fail", body: {} }, 409, "PT409"],
      [{ line: "GET /nope" }, 404, "PGRST205"],
      [{ line: "GET /items?select=nope" }, 400, "42703"],
      [{ line: "GET /items?limit=x&id=zz.1" }, 400, "PGRST100"],
      [{ line: "POST /items", body: { nope: 1 } }, 400, "PGRST204"],
      [{ line: "POST /rpc/nope", body: {} }, 404, "PGRST202"],
      [{ line: "PATCH /items", body: { name: "x" } }, 400, "21000"],
      [{ line: "GET /items?id=eq.abc" }, 400, "22P02"],
      [{ line: "DELETE /makers?id=gt.0", headers: { prefer: "handling=strict, max-affected=0" } }, 400, "PGRST124"],
    ] as const) {
      assert.deepEqual(await rejectionOf([make, failing, make]), { status, code, operation: 1 }, failing.line);
      assert.deepEqual(await count(), { makers: 0, items: 0 });
    }
    assert.equal((await rejectionOf([make, make])).operation, 1);
    assert.equal((await rejectionOf([{ line: "POST /items", body: { id: 1, name: null } }, make])).operation, 0);
  });

  it("are all rolled back by a deferred constraint, and the error names no operation", async () => {
    await clear();
    assert.deepEqual(
      await rejectionOf([
        { line: "POST /makers", body: { id: 1, name: "Ada" } },
        { line: "POST /late", body: { id: 1, maker_id: 99 } },
      ]),
      { status: 409, code: "23503", operation: undefined },
    );
    assert.deepEqual(await count(), { makers: 0, items: 0 });
    const fine = await run([
      { line: "POST /late", body: { id: 1, maker_id: 7 } },
      { line: "POST /makers", body: { id: 7, name: "late" } },
    ]);
    assert.deepEqual(statusesOf(fine), [201, 201]);
  });

  it("keep their writes when a read cannot be represented as one object", async () => {
    await clear();
    const answers = await run([
      {
        line: "POST /makers",
        body: [
          { id: 1, name: "Ada" },
          { id: 2, name: "Bob" },
        ],
      },
      { line: "GET /makers?id=eq.99", headers: OBJECT },
      { line: "GET /makers", headers: OBJECT },
      { line: "GET /makers?id=eq.2&select=name", headers: OBJECT },
    ]);
    assert.deepEqual(statusesOf(answers), [201, 406, 406, 200]);
    assert.ok(answers[1] instanceof AppError && answers[2] instanceof AppError);
    assert.deepEqual(bodyOf(answers[3]), { name: "Bob" });
    assert.deepEqual(await count(), { makers: 2, items: 0 });
  });

  it("are all rolled back when a write that must affect one row does not", async () => {
    await clear();
    const make = { line: "POST /makers", body: { id: 1, name: "Ada" } };
    const object = { ...OBJECT, ...SHOWN };
    for (const failing of [
      { line: "PATCH /makers?id=eq.99", body: { name: "x" }, headers: object },
      { line: "DELETE /makers?id=eq.99", headers: object },
      { line: "PATCH /makers?id=eq.99", body: { name: "x" } },
    ]) {
      const rejection = await rejectionOf([make, failing]);
      assert.deepEqual([rejection.status, rejection.code, rejection.operation], [406, "PGRST116", 1], failing.line);
      assert.deepEqual(await count(), { makers: 0, items: 0 });
    }
    const found = await run([
      make,
      { line: "PATCH /makers?id=eq.1&select=name", body: { name: "Adah" }, headers: SHOWN },
    ]);
    assert.deepEqual(bodyOf(found[1]), [{ name: "Adah" }]);
  });

  it("accept an update of several rows that finds none, as outside of a batch", async () => {
    await clear();
    const answers = await run([
      { line: "POST /makers", body: { id: 1, name: "Ada" } },
      { line: "PATCH /makers?name=eq.nobody", body: { name: "x" } },
      { line: "DELETE /makers?id=eq.99" },
    ]);
    assert.deepEqual(statusesOf(answers), [201, 204, 204]);
    assert.deepEqual(await count(), { makers: 1, items: 0 });
  });

  it("reject requests for descriptions and calls by GET", async () => {
    for (const line of ["GET /", "OPTIONS /items", "GET /rpc/count_items"]) {
      const rejection = await rejectionOf([{ line: "POST /makers", body: { id: 1 } }, { line }]);
      assert.deepEqual([rejection.status, rejection.operation], [400, 1], line);
    }
    assert.deepEqual(await count(), { makers: 1, items: 0 });
  });

  it("can repeat, and concurrent batches do not mix", async () => {
    await clear();
    await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const work = [
          { line: "POST /makers", body: { id: at, name: String(at) } },
          { line: "POST /items", body: { id: at, name: String(at), maker_id: at } },
          { line: "GET /items?select=name,makers(name)&id=eq." + at },
        ];
        if (at % 2 === 0) {
          const answers = await run(work);
          assert.deepEqual(bodyOf(answers[2]), [{ name: String(at), makers: { name: String(at) } }]);
        } else assert.equal((await rejectionOf([...work, { line: "POST /rpc/fail", body: {} }])).operation, 3);
      }),
    );
    assert.deepEqual(await count(), { makers: 10, items: 10 });
  });

  it("run with the rights of the caller", async () => {
    const rejection = await rejectionOf([{ line: "GET /makers" }], ANON);
    assert.deepEqual([rejection.status, rejection.operation], [401, 0]);
  });

  it("do not pass the response status of one to the next", async () => {
    await clear();
    const answers = await run([
      { line: "POST /rpc/say", body: {} },
      { line: "POST /makers", body: { id: 1, name: "x" } },
      { line: "GET /makers" },
    ]);
    assert.deepEqual(statusesOf(answers), [418, 201, 200]);
  });

  it("see their own request settings, even if an earlier one changed them", async () => {
    const own = (name: string) => ({ "x-own": name });
    const answers = await run([
      { line: "POST /rpc/see", body: {}, headers: own("first") },
      { line: "POST /rpc/pretend", body: { claims: '{"sub":"somebody else"}' } },
      { line: "POST /rpc/see", body: {}, headers: own("last") },
    ]);
    const expected = { method: "POST", path: "/rest/v1/rpc/see", role: "service_role", sub: null };
    assert.deepEqual(bodyOf(answers[0]), { ...expected, own: "first" });
    assert.deepEqual(bodyOf(answers[2]), { ...expected, own: "last" });
  });

  it("run as the same user after operations on user-defined tables and functions", async () => {
    const user = await opened.stage.addUser();
    await opened.stage.run(
      "grant execute on function shop.see, shop.pretend to authenticated; grant select on shop.makers to authenticated",
    );
    const answers = await run(
      [
        { line: "GET /makers" },
        { line: "POST /rpc/pretend", body: { claims: '{"sub":"somebody else"}' } },
        { line: "POST /rpc/see", body: {} },
      ],
      user,
    );
    const { role, sub } = bodyOf(answers[2]) as { role: string; sub: string };
    assert.deepEqual([role, sub], ["authenticated", user.userId]);
  });

  it("have their own time zones", async () => {
    await clear();
    await opened.stage.run(
      "alter table shop.owned add column if not exists at timestamptz default '2024-06-01T12:00:00Z'",
    );
    const answers = await run([
      {
        line: "POST /owned?select=at",
        body: { name: "a" },
        headers: { prefer: "return=representation, timezone=Asia/Kolkata" },
      },
      { line: "GET /owned?select=at" },
    ]);
    assert.deepEqual(bodyOf(answers[0]), [{ at: "2024-06-01T17:30:00+05:30" }]);
    assert.deepEqual(bodyOf(answers[1]), [{ at: "2024-06-01T12:00:00+00:00" }]);
  });
});
