import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openRestStage } from "./rest-stage.ts";

const OBJECT = "application/vnd.pgrst.object+json";
const codeOf = (answer: { json: unknown }): string => (answer.json as { code: string }).code;

describe("function calls", () => {
  const opened = openRestStage(
    `create schema shop;
     create table shop.makers (id int primary key, name text);
     create table shop.items (id int primary key, name text, price numeric, maker_id int references shop.makers);
     insert into shop.makers values (1, 'Ada'), (2, 'Bob');
     insert into shop.items values (1, 'a', 1, 1), (2, 'b', 2, 1), (3, 'c', 3, 2);
     create table shop.log (said text);
     create type shop.point as (x int, y int);
     create function shop.add(a int, b int default 10) returns int language sql stable as 'select a + b';
     create function shop.add(a text, b text, c text) returns text language sql stable as 'select a || b || c';
     create function shop.twin(a int) returns text language sql stable as $$ select 'int' $$;
     create function shop.twin(a text) returns text language sql stable as $$ select 'text' $$;
     create function shop.sum_all(variadic nums int[]) returns int language sql stable as 'select sum(n)::int from unnest(nums) n';
     create function shop.join_all(sep text, variadic words text[] default '{}') returns text language sql stable
       as 'select array_to_string(words, sep)';
     create function shop.hello() returns text language sql stable as $$ select 'hi "you"' $$;
     create function shop.nothing() returns text language sql stable as 'select null::text';
     create function shop.quiet() returns void language plpgsql as $$ begin insert into shop.log values ('quiet'); end $$;
     create function shop.idle() returns void language sql as '';
     create function shop.note(text_of text) returns void language sql as 'insert into shop.log values (text_of)';
     create function shop.lie() returns int language plpgsql stable as $$ begin perform shop.note('lie'); return 1; end $$;
     create function shop.numbers(upto int default 3) returns setof int language sql stable as 'select generate_series(1, upto)';
     create function shop.origin() returns shop.point language sql stable as 'select row(0, 0)::shop.point';
     create function shop.points() returns setof shop.point language sql stable as 'select row(n, n)::shop.point from generate_series(1,2) n';
     create function shop.bounds(out low int, out high int) language sql stable as 'select 1, 9';
     create function shop.one_out(out only_one int) language sql stable as 'select 5';
     create function shop.swap(inout a int, inout b int) language sql stable as 'select b, a';
     create function shop.listed() returns table (n int, sq int) language sql stable as 'select n, n * n from generate_series(1, 4) n';
     create function shop.mystery() returns record language sql stable as $$ select 1 as a, 'x' as b $$;
     create function shop.mysteries() returns setof record language sql stable as $$ select n, 'x' || n from generate_series(1, 2) n $$;
     create function shop.items_of(maker int) returns setof shop.items language sql stable as 'select * from shop.items where maker_id = maker';
     create function shop.first_item() returns shop.items language sql stable as 'select * from shop.items order by id limit 1';
     create function shop.no_item() returns shop.items language sql stable as 'select * from shop.items where false';
     create function shop.make_items(names text[]) returns setof shop.items language sql
       as 'insert into shop.items select 100 + n, name, 0, 1 from unnest(names) with ordinality x(name, n) returning *';
     create function shop.take_json(json) returns json language sql stable as 'select $1';
     create function shop.take_jsonb(jsonb) returns jsonb language sql stable as 'select $1';
     create function shop.take_text(text) returns text language sql stable as 'select upper($1)';
     create function shop.take_bytes(bytea) returns bytea language sql stable as 'select $1';
     create function shop.take_xml(xml) returns xml language sql stable as 'select $1';
     create function shop.take_default(text default 'nothing') returns text language sql stable as 'select $1';
     create function shop.fallback() returns int language sql stable as 'select 1';
     create function shop.fallback(int default 42) returns int language sql stable as 'select 2';
     create function shop.fallback(text default 'x') returns text language sql stable as 'select $1';
     create function shop.both(a int) returns text language sql stable as $$ select 'named' $$;
     create function shop.both(json) returns text language sql stable as $$ select 'whole' $$;
     create function shop.kinds(n numeric, d date, l int[], j jsonb, p shop.point, b boolean) returns jsonb language sql stable
       as 'select jsonb_build_object(''n'', n, ''d'', d, ''l'', l, ''j'', j, ''p'', p, ''b'', b)';
     create function shop."Odd name"("A b" int) returns int language sql stable as 'select "A b"';
     create function shop.unnamed(int) returns int language sql stable as 'select $1';
     grant usage on schema shop to anon, authenticated, service_role;
     grant all on all tables in schema shop to service_role;
     grant execute on all functions in schema shop to service_role`,
    { schemas: ["shop"] },
  );
  const ask = (...args: Parameters<typeof opened.stage.ask>) => opened.stage.ask(...args);
  const rowsOf = async (query: string): Promise<unknown[]> => (await opened.stage.run(query)).rows;

  const RESULTS = [
    ["rpc/add?a=1&b=2", { a: 1, b: 2 }, 3],
    ["rpc/add?a=1", { a: 1 }, 11],
    ["rpc/add?a=x&b=y&c=z", { a: "x", b: "y", c: "z" }, "xyz"],
    ["rpc/hello", {}, 'hi "you"'],
    ["rpc/nothing", {}, null],
    ["rpc/numbers", {}, [1, 2, 3]],
    ["rpc/numbers?upto=2", { upto: 2 }, [1, 2]],
    ["rpc/numbers?upto=0", { upto: 0 }, []],
    ["rpc/origin", {}, { x: 0, y: 0 }],
    [
      "rpc/points",
      {},
      [
        { x: 1, y: 1 },
        { x: 2, y: 2 },
      ],
    ],
    ["rpc/bounds", {}, { low: 1, high: 9 }],
    ["rpc/one_out", {}, { only_one: 5 }],
    ["rpc/swap?a=1&b=2", { a: 1, b: 2 }, { a: 2, b: 1 }],
    [
      "rpc/listed?limit=2",
      null,
      [
        { n: 1, sq: 1 },
        { n: 2, sq: 4 },
      ],
    ],
    ["rpc/first_item", {}, { id: 1, name: "a", price: 1, maker_id: 1 }],
    ["rpc/items_of?maker=2", { maker: 2 }, [{ id: 3, name: "c", price: 3, maker_id: 2 }]],
    ["rpc/sum_all?nums=1&nums=2&nums=3", { nums: [1, 2, 3] }, 6],
    ["rpc/sum_all?nums=%7B4,5%7D", { nums: [4, 5] }, 9],
    ["rpc/join_all?sep=-&words=a&words=b,%22c%5C", { sep: "-", words: ["a", 'b,"c\\'] }, 'a-b,"c\\'],
    ["rpc/join_all?sep=-", { sep: "-" }, ""],
    ["rpc/Odd%20name?A%20b=4", { "A b": 4 }, 4],
  ] as const;
  for (const [target, body, result] of RESULTS) {
    it(`gives ${JSON.stringify(result)} for ${target}, by GET and by POST`, async () => {
      const got = await ask(`GET /${target}`);
      assert.equal(got.status, 200, got.text);
      assert.deepEqual(got.json, result);
      assert.equal(got.headers["content-type"], "application/json; charset=utf-8");
      if (body === null) return;
      const posted = await ask(`POST /${target.split("?")[0]}`, { body });
      assert.equal(posted.status, 200, posted.text);
      assert.deepEqual(posted.json, result);
    });
  }

  it("accept values of every type from JSON", async () => {
    const sent = { n: 1.5, d: "2024-01-01", l: [1, 2], j: { a: [null] }, p: { x: 1, y: 2 }, b: true };
    const answer = await ask("POST /rpc/kinds", { body: sent });
    assert.deepEqual([answer.status, answer.json], [200, sent]);
    const search = "n=1.5&d=2024-01-01&l=%7B1,2%7D&j=%7B%22a%22:[null]%7D&p=(1,2)&b=true";
    assert.deepEqual((await ask(`GET /rpc/kinds?${search}`)).json, sent);
    const form = await ask("POST /rpc/kinds", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: search,
    });
    assert.deepEqual(form.json, sent);
  });

  it("accept an empty body when there are no arguments", async () => {
    const answer = await ask("POST /rpc/hello", { headers: { "content-type": "application/json" } });
    assert.equal(answer.json, 'hi "you"');
  });

  it("report a missing function with the nearest name", async () => {
    const wrong = await ask("POST /rpc/helo", { body: {} });
    assert.equal(wrong.status, 404);
    assert.deepEqual(wrong.json, {
      code: "PGRST202",
      message: "Could not find the function shop.helo without parameters in the schema cache",
      details:
        "Searched for the function shop.helo without parameters or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache.",
      hint: "Perhaps you meant to call the function shop.hello",
    });
    const parameters = await ask("GET /rpc/add?a=1&x=2");
    assert.equal(codeOf(parameters), "PGRST202");
    assert.equal((parameters.json as { hint: string }).hint, "Perhaps you meant to call the function shop.add(a, b)");
    const missing = await ask("POST /rpc/items_of", { body: {} });
    assert.deepEqual([missing.status, codeOf(missing)], [404, "PGRST202"]);
    const unnamed = await ask("POST /rpc/unnamed", { body: { a: 1 } });
    assert.deepEqual([unnamed.status, codeOf(unnamed)], [404, "PGRST202"]);
  });

  it("are rejected as ambiguous when overloads have the same parameter names", async () => {
    const answer = await ask("POST /rpc/twin", { body: { a: 1 } });
    assert.equal(answer.status, 300);
    assert.equal(codeOf(answer), "PGRST203");
    const { message, hint } = answer.json as { message: string; hint: string };
    assert.match(
      message,
      /^Could not choose the best candidate function between: shop\.twin\(a => integer\), shop\.twin\(a => text\)$/,
    );
    assert.match(hint, /overloading/);
  });

  it("prefer named parameters, and pass the whole body when names do not match", async () => {
    assert.equal((await ask("POST /rpc/both", { body: { a: 1 } })).json, "named");
    assert.equal((await ask("POST /rpc/both", { body: { other: 1 } })).json, "whole");
    assert.equal((await ask("POST /rpc/both", { body: [1, 2] })).json, "whole");
  });

  describe("with one unnamed parameter", () => {
    it("pass JSON unchanged", async () => {
      for (const body of ['{"a": 1,  "b":2}', "[1, 2]", '"x"', "3", "null"]) {
        const json = await ask("POST /rpc/take_json", { body });
        assert.deepEqual([json.status, json.text], [200, body], json.text);
        const jsonb = await ask("POST /rpc/take_jsonb", { body });
        assert.deepEqual([jsonb.status, jsonb.json], [200, JSON.parse(body)]);
      }
    });

    it("pass a text", async () => {
      const headers = { "content-type": "text/plain; charset=utf-8" };
      const answer = await ask("POST /rpc/take_text", { headers, body: "grüße, \\ '\n" });
      assert.equal(answer.json, "GRÜSSE, \\ '\n".replace("SS", "ß"));
      const plain = await ask("POST /rpc/take_text", { headers: { ...headers, accept: "text/plain" }, body: "a" });
      assert.deepEqual([plain.text, plain.headers["content-type"]], ["A", "text/plain; charset=utf-8"]);
    });

    it("pass bytes and return them unchanged", async () => {
      const bytes = Buffer.from([0, 255, 92, 120, 10, 200]);
      const headers = { "content-type": "application/octet-stream", accept: "application/octet-stream" };
      const answer = await opened.stage.rest.answer({
        input: {
          method: "POST",
          path: "/rpc/take_bytes",
          search: "",
          headers,
          body: bytes,
          contentType: headers["content-type"],
        },
        path: "/rest/v1/rpc/take_bytes",
        principal: { role: "service_role", userId: null, claims: {}, session: null },
      });
      assert.deepEqual(answer.body, bytes);
      assert.equal(answer.headers["content-type"], "application/octet-stream");
    });

    it("pass XML", async () => {
      const headers = { "content-type": "text/xml", accept: "text/xml" };
      const answer = await ask("POST /rpc/take_xml", { headers, body: "<a><b>1</b></a>" });
      if (answer.status === 200) {
        assert.deepEqual([answer.text, answer.headers["content-type"]], ["<a><b>1</b></a>", "text/xml; charset=utf-8"]);
      } else assert.equal(codeOf(answer), "0A000");
    });

    it("pass the value of a JSON body whose only name is empty", async () => {
      for (const [name, sent, expected] of [
        ["take_text", '"grüße"', "GRÜßE"],
        ["take_text", "12", "12"],
        ["take_text", "null", null],
        ["take_json", '{"a": 1,  "a":2.50}', { a: 2.5 }],
        ["take_json", "null", null],
        ["take_jsonb", "[1, 2]", [1, 2]],
        ["take_bytes", String.raw`"\\x00ff"`, String.raw`\x00ff`],
        ["take_default", '"given"', "given"],
        ["fallback", '"given"', "given"],
      ] as const) {
        const answer = await ask(`POST /rpc/${name}`, { body: `{"": ${sent}}` });
        assert.deepEqual([answer.status, answer.json], [200, expected], `${name} ${sent} ${answer.text}`);
      }
      const text = await ask("POST /rpc/take_json", { body: '{"": {"a": 1,  "b":2.50}}' });
      assert.equal(text.text, '{"a": 1,  "b":2.50}');
      const xml = await ask("POST /rpc/take_xml", { body: { "": "<a/>" } });
      if (xml.status !== 200) assert.equal(codeOf(xml), "0A000");
      else assert.equal(xml.json, "<a/>");
      const form = { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "=a" };
      assert.equal((await ask("POST /rpc/take_text", form)).json, "A");
      const several = await ask("POST /rpc/take_json", { body: { "": 1, other: 2 } });
      assert.deepEqual(several.json, { "": 1, other: 2 });
    });

    it("use its default when no argument is given", async () => {
      assert.equal((await ask("GET /rpc/take_default")).json, "nothing");
      assert.equal((await ask("POST /rpc/take_default", { body: {} })).json, "nothing");
    });

    it("are ambiguous beside a function without parameters when it has a default", async () => {
      const choices = { code: "PGRST203", details: null };
      for (const [line, body] of [
        ["GET /rpc/fallback", undefined],
        ["POST /rpc/fallback", {}],
      ] as const) {
        const answer = await ask(line, { body });
        assert.equal(answer.status, 300);
        assert.deepEqual(answer.json, {
          ...choices,
          message: "Could not choose the best candidate function between: shop.fallback(), shop.fallback( => text)",
          hint: "Try renaming the parameters or the function itself in the database so function overloading can be resolved",
        });
      }
    });

    it("are not found by a body of another type", async () => {
      const answer = await ask("POST /rpc/take_text", { headers: { "content-type": "text/xml" }, body: "<a/>" });
      assert.deepEqual([answer.status, codeOf(answer)], [404, "PGRST202"]);
    });
  });

  describe("that return rows", () => {
    it("accept select, filters, order, limit, offset and embeds", async () => {
      const search = "select=id,makers(name)&id=gt.1&order=id.desc&limit=1&offset=0";
      const expected = [{ id: 2, makers: { name: "Ada" } }];
      const got = await ask(`GET /rpc/items_of?maker=1&${search}`);
      assert.deepEqual([got.status, got.json], [200, expected]);
      const posted = await ask(`POST /rpc/items_of?${search}`, { body: { maker: 1 } });
      assert.deepEqual([posted.status, posted.json], [200, expected]);
      const listed = await ask("GET /rpc/listed?select=sq&or=(n.eq.2,n.eq.4)&order=n.desc");
      assert.deepEqual(listed.json, [{ sq: 16 }, { sq: 4 }]);
    });

    it("accept inner embeds, spreads and aggregates", async () => {
      const inner = await ask("POST /rpc/items_of?select=id,makers!inner(name)&makers.name=eq.Bob", {
        body: { maker: 1 },
      });
      assert.deepEqual(inner.json, []);
      const spread = await ask("POST /rpc/items_of?select=id,...makers(maker:name)&order=id", { body: { maker: 1 } });
      assert.deepEqual(spread.json, [
        { id: 1, maker: "Ada" },
        { id: 2, maker: "Ada" },
      ]);
      const sum = await ask("POST /rpc/items_of?select=price.sum()", { body: { maker: 1 } });
      assert.deepEqual(sum.json, [{ sum: 3 }]);
    });

    it("return the range and count, and 206 for a part", async () => {
      const answer = await ask("GET /rpc/listed?limit=2&offset=1", { headers: { prefer: "count=exact" } });
      assert.deepEqual([answer.status, answer.headers["content-range"]], [206, "1-2/4"]);
      const scalars = await ask("GET /rpc/numbers?upto=5&limit=2&offset=1", { headers: { prefer: "count=exact" } });
      assert.deepEqual([scalars.status, scalars.json, scalars.headers["content-range"]], [206, [2, 3], "1-2/5"]);
      const ranged = await ask("GET /rpc/listed", { headers: { range: "1-1", "range-unit": "items" } });
      assert.deepEqual(ranged.json, [{ n: 2, sq: 4 }]);
      const planned = await ask("GET /rpc/listed", { headers: { prefer: "count=planned" } });
      assert.match(planned.headers["content-range"] ?? "", /^0-3\/\d+$/);
    });

    it("return a total of 1 for a single result that is counted, and nothing else as its range", async () => {
      for (const count of ["exact", "planned", "estimated"]) {
        for (const line of ["hello", "nothing", "origin", "first_item", "no_item", "mystery", "idle"]) {
          const answer = await ask(`POST /rpc/${line}`, { headers: { prefer: `count=${count}` }, body: {} });
          assert.equal(answer.headers["content-range"], "0-0/1", `${line} ${count}`);
          assert.equal(answer.headers["preference-applied"], `count=${count}`);
        }
      }
      const exact = { headers: { prefer: "count=exact" } };
      const lines = ["GET /rpc/add?a=1", "HEAD /rpc/add?a=1", "GET /rpc/add?a=1&limit=5&offset=3"];
      for (const line of lines) assert.equal((await ask(line, exact)).headers["content-range"], "0-0/1", line);
      assert.equal((await ask("GET /rpc/first_item?id=eq.7", exact)).headers["content-range"], "*/0");
      assert.equal((await ask("GET /rpc/hello")).headers["content-range"], "0-0/*");
    });

    it("return one object on request, and roll back when there are several rows", async () => {
      const one = await ask("GET /rpc/items_of?maker=2", { headers: { accept: OBJECT } });
      assert.deepEqual([one.status, one.json], [200, { id: 3, name: "c", price: 3, maker_id: 2 }]);
      const several = await ask("POST /rpc/make_items", { headers: { accept: OBJECT }, body: { names: ["x", "y"] } });
      assert.deepEqual([several.status, codeOf(several)], [406, "PGRST116"]);
      assert.deepEqual(await rowsOf("select 1 from shop.items where id > 100"), []);
      const made = await ask("POST /rpc/make_items?select=name,makers(name)", { body: { names: ["x", "y"] } });
      assert.deepEqual(made.json, [
        { name: "x", makers: { name: "Ada" } },
        { name: "y", makers: { name: "Ada" } },
      ]);
      await opened.stage.run("delete from shop.items where id > 100");
    });

    it("accept max-affected when they return a set", async () => {
      const headers = { prefer: "handling=strict, max-affected=1" };
      const several = await ask("POST /rpc/make_items", { headers, body: { names: ["x", "y"] } });
      assert.deepEqual([several.status, codeOf(several)], [400, "PGRST124"]);
      assert.deepEqual(await rowsOf("select 1 from shop.items where id > 100"), []);
      const scalar = await ask("POST /rpc/hello", { headers, body: {} });
      assert.deepEqual([scalar.status, codeOf(scalar)], [400, "PGRST128"]);
    });

    it("return records with unknown columns", async () => {
      const one = await ask("GET /rpc/mystery");
      assert.equal(one.status, 200, one.text);
      assert.deepEqual(Object.values(one.json as object), [1, "x"]);
      const many = await ask("GET /rpc/mysteries");
      assert.equal(many.status, 200, many.text);
      assert.deepEqual(
        (many.json as object[]).map((row) => Object.values(row)),
        [
          [1, "x1"],
          [2, "x2"],
        ],
      );
    });

    it("accept select for one composite", async () => {
      const answer = await ask("GET /rpc/first_item?select=name,makers(name)");
      assert.deepEqual(answer.json, { name: "a", makers: { name: "Ada" } });
      const point = await ask("GET /rpc/origin?select=x");
      assert.deepEqual(point.json, { x: 0 });
    });

    it("return CSV", async () => {
      const answer = await ask("GET /rpc/listed?limit=2", { headers: { accept: "text/csv" } });
      assert.deepEqual([answer.text, answer.headers["content-type"]], ["n,sq\n1,1\n2,4", "text/csv; charset=utf-8"]);
    });
  });

  it("return null for a missing row", async () => {
    const answer = await ask("GET /rpc/no_item");
    assert.equal(answer.status, 200, answer.text);
    assert.ok(["null", '{"id":null,"name":null,"price":null,"maker_id":null}'].includes(answer.text), answer.text);
  });

  it("return 204 for void", async () => {
    const answer = await ask("POST /rpc/quiet", { body: {} });
    assert.deepEqual([answer.status, answer.text, answer.headers["content-type"]], [204, "", undefined]);
    assert.deepEqual(await rowsOf("select said from shop.log"), [{ said: "quiet" }]);
    await opened.stage.run("truncate shop.log");
  });

  it("by GET or HEAD cannot write, whatever their volatility: 405", async () => {
    for (const line of [
      "GET /rpc/quiet",
      "HEAD /rpc/quiet",
      "GET /rpc/lie",
      "GET /rpc/note?text_of=x",
      "GET /rpc/make_items?names={a}",
    ]) {
      const answer = await ask(line);
      assert.equal(answer.status, 405, line);
      assert.equal(codeOf(answer), "25006");
    }
    assert.deepEqual(await rowsOf("select said from shop.log"), []);
  });

  it("are not tables, and support no other methods", async () => {
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      const answer = await ask(`${method} /rpc/hello`, { body: {} });
      assert.deepEqual([answer.status, codeOf(answer)], [405, "PGRST101"]);
    }
    const options = await ask("OPTIONS /rpc/hello");
    assert.deepEqual([options.status, options.headers["allow"]], [200, "OPTIONS,GET,HEAD,POST"]);
  });

  it("have no body for HEAD, and for POST with return=minimal", async () => {
    const head = await ask("HEAD /rpc/listed", { headers: { prefer: "count=exact" } });
    assert.deepEqual([head.status, head.text, head.headers["content-range"]], [200, "", "0-3/4"]);
    const quiet = await ask("POST /rpc/listed", { headers: { prefer: "return=minimal, count=exact" }, body: {} });
    assert.deepEqual([quiet.text, quiet.headers["content-range"]], ["", "0-3/4"]);
    assert.ok([200, 204].includes(quiet.status));
  });

  it("treat pairs that parse as filters as arguments only when the function requires them", async () => {
    const answer = await ask("GET /rpc/add?a=eq.1&b=2&c=z");
    assert.deepEqual(answer.json, "eq.12z");
    const filtered = await ask("GET /rpc/listed?n=gte.3");
    assert.deepEqual(filtered.json, [
      { n: 3, sq: 9 },
      { n: 4, sq: 16 },
    ]);
  });

  it("return the database's message for a value that does not fit", async () => {
    const answer = await ask("GET /rpc/add?a=x");
    assert.deepEqual([answer.status, codeOf(answer)], [400, "22P02"]);
  });
});
