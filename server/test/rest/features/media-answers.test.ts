import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ANON, openRestStage } from "./rest-stage.ts";

const OBJECT = "application/vnd.pgrst.object+json";
const codeOf = (answer: { json: unknown }): string => (answer.json as { code: string }).code;

const SCHEMA = `
  create schema shop;
  create table shop.makers (id int primary key, name text, site text);
  create table shop.items (id int primary key, name text, more jsonb, tags text[], maker_id int references shop.makers);
  insert into shop.makers values (1, 'Ada', null);
  insert into shop.items values (1, 'plain', null, null, 1), (2, 'a,b', '{"k":null,"l":[null,{"m":null}]}', '{x,"y z"}', null),
    (3, E'say "hi"\\nthere \\\\ back', null, '{}', null);
  create table shop.empty (id int primary key, "odd, name" text);
  create view shop.reading as select count(*) from shop.items;
  create view shop.items_seen as select id, name from shop.items;
  create domain shop."text/html" as text;
  create function shop.page() returns shop."text/html" language sql stable as $$ select '<p>hi</p>'::shop."text/html" $$;
  create function shop.word() returns text language sql stable as $$ select 'w' $$;
  create function shop.change() returns void language sql volatile as $$ select $$;
  create function shop.numbers() returns setof int language sql stable as 'select generate_series(1, 3)';
  grant usage on schema shop to anon, authenticated, service_role;
  grant all on all tables in schema shop to service_role;
  grant execute on all functions in schema shop to service_role`;

describe("the media type of a response", () => {
  const opened = openRestStage(SCHEMA, { schemas: ["shop"] });
  const ask = (...args: Parameters<typeof opened.stage.ask>) => opened.stage.ask(...args);

  it("is JSON by default, and Vary lists the request headers that it depends on", async () => {
    for (const accept of [undefined, "*/*", "application/json", "application/*", "text/html, */*;q=0.1"]) {
      const answer = await ask("GET /items?select=id&limit=1", { headers: accept === undefined ? {} : { accept } });
      assert.equal(answer.status, 200, accept);
      assert.equal(answer.headers["content-type"], "application/json; charset=utf-8");
      assert.equal(answer.headers["vary"], "Accept, Prefer, Range");
      assert.deepEqual(answer.json, [{ id: 1 }]);
    }
  });

  it("is the first acceptable one by quality", async () => {
    const answer = await ask("GET /items?select=id&id=eq.1", {
      headers: { accept: `application/yaml, text/csv;q=0.5, ${OBJECT};q=0.9` },
    });
    assert.equal(answer.headers["content-type"], "application/vnd.pgrst.object+json; charset=utf-8");
  });

  it("is rejected with 406 when none is supported", async () => {
    const answer = await ask("GET /items", { headers: { accept: "application/yaml, image/png" } });
    assert.equal(answer.status, 406);
    assert.equal(codeOf(answer), "PGRST107");
    assert.equal(
      (answer.json as { message: string }).message,
      "None of these media types are available: application/yaml, image/png",
    );
    const write = await ask("POST /makers", { headers: { accept: "image/png" }, body: { id: 9 } });
    assert.equal(write.status, 406);
    assert.deepEqual((await ask("GET /makers?id=eq.9")).json, []);
  });

  it("is CSV with a header, quotes where needed, and an empty field for null", async () => {
    const answer = await ask("GET /items?select=id,name,more,tags&order=id", { headers: { accept: "text/csv" } });
    assert.equal(answer.headers["content-type"], "text/csv; charset=utf-8");
    assert.equal(
      answer.text,
      [
        "id,name,more,tags",
        "1,plain,,",
        '2,"a,b","{""k"": null, ""l"": [null, {""m"": null}]}","{x,""y z""}"',
        '3,"say ""hi""\nthere \\ back",,{}',
      ].join("\n"),
    );
    assert.equal(answer.headers["content-range"], "0-2/*");
  });

  it("is CSV with only the header when there are no rows", async () => {
    const answer = await ask("GET /empty", { headers: { accept: "text/csv" } });
    assert.equal(answer.text.trimEnd(), 'id,"odd, name"');
  });

  it("is CSV of all columns, of embeds and after a write", async () => {
    const star = await ask("GET /makers?id=eq.1", { headers: { accept: "text/csv" } });
    assert.equal(star.text, "id,name,site\n1,Ada,");
    const embedded = await ask("GET /items?select=id,maker:makers(name)&id=eq.1", { headers: { accept: "text/csv" } });
    assert.equal(embedded.text, 'id,maker\n1,"{""name"":""Ada""}"');
    const written = await ask("POST /empty?select=id", {
      headers: { accept: "text/csv", prefer: "return=representation" },
      body: [{ id: 1 }, { id: 2 }],
    });
    assert.deepEqual([written.status, written.text], [201, "id\n1\n2"]);
  });

  it("is CSV that can be inserted again", async () => {
    const { text } = await ask("GET /items?select=id,name,more,tags&order=id", { headers: { accept: "text/csv" } });
    const shifted = text
      .replace(/^(\d),/gm, (_, id: string) => `${Number(id) + 10},`)
      .replace(/,,/g, ",NULL,")
      .replace(/,$/gm, ",NULL");
    const answer = await ask("POST /items?select=name,more,tags&order=id", {
      headers: { "content-type": "text/csv", prefer: "return=representation" },
      body: shifted,
    });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(answer.json, (await ask("GET /items?select=name,more,tags&order=id&id=lt.10")).json);
    await ask("DELETE /items?id=gt.10");
  });

  it("is one object, and 406 for no row or several", async () => {
    for (const accept of [OBJECT, "application/vnd.pgrst.object"]) {
      const one = await ask("GET /items?select=id,name&id=eq.1", { headers: { accept } });
      assert.equal(one.text, '{"id":1,"name":"plain"}');
      assert.equal(one.headers["content-type"], "application/vnd.pgrst.object+json; charset=utf-8");
    }
    for (const [search, rows] of [
      ["id=eq.99", 0],
      ["id=lt.3", 2],
    ] as const) {
      const answer = await ask(`GET /items?${search}`, { headers: { accept: OBJECT } });
      assert.equal(answer.status, 406);
      assert.deepEqual(answer.json, {
        code: "PGRST116",
        message: "Cannot coerce the result to a single JSON object",
        details: `The result contains ${rows} rows`,
        hint: null,
      });
    }
    const head = await ask("HEAD /items?id=lt.3", { headers: { accept: OBJECT } });
    assert.equal(head.status, 406);
  });

  it("omits nulls on request, nested ones too, but keeps them in arrays", async () => {
    const list = await ask("GET /items?select=id,more,tags,makers(name,site)&order=id&limit=2", {
      headers: { accept: "application/vnd.pgrst.array+json;nulls=stripped" },
    });
    assert.equal(list.headers["content-type"], "application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8");
    assert.deepEqual(list.json, [
      { id: 1, makers: { name: "Ada" } },
      { id: 2, more: { l: [null, {}] }, tags: ["x", "y z"] },
    ]);
    const object = await ask("GET /makers?id=eq.1", { headers: { accept: `${OBJECT};nulls=stripped` } });
    assert.equal(object.text, '{"id":1,"name":"Ada"}');
    assert.match(object.headers["content-type"] ?? "", /^application\/vnd\.pgrst\.object\+json;nulls=stripped/);
    const written = await ask("PATCH /makers?id=eq.1", {
      headers: { accept: `${OBJECT};nulls=stripped`, prefer: "return=representation" },
      body: { name: "Ada" },
    });
    assert.equal(written.text, '{"id":1,"name":"Ada"}');
  });

  it("has no execution plan unless plans are enabled", async () => {
    const answer = await ask("GET /items", { headers: { accept: "application/vnd.pgrst.plan+json" } });
    assert.deepEqual([answer.status, codeOf(answer)], [406, "PGRST107"]);
  });

  it("is named by the domain that a function returns, or is plain text", async () => {
    const html = await ask("GET /rpc/page", { headers: { accept: "text/html,*/*;q=0.8" } });
    assert.deepEqual([html.text, html.headers["content-type"]], ["<p>hi</p>", "text/html; charset=utf-8"]);
    const text = await ask("GET /rpc/word", { headers: { accept: "text/plain" } });
    assert.deepEqual([text.text, text.headers["content-type"]], ["w", "text/plain; charset=utf-8"]);
    const json = await ask("GET /rpc/word", { headers: { accept: OBJECT } });
    assert.equal(json.text, '"w"');
    const csv = await ask("GET /rpc/numbers", { headers: { accept: "text/csv" } });
    assert.match(csv.text, /\n1\n2\n3$/);
  });

  it("is empty for HEAD, with the same status and headers as for GET", async () => {
    for (const line of ["/items?select=id&order=id&limit=2", "/items?id=eq.99", "/items?offset=99"]) {
      const options = { headers: { prefer: "count=exact" } };
      const [get, head] = [await ask(`GET ${line}`, options), await ask(`HEAD ${line}`, options)];
      assert.equal(head.status, get.status, line);
      if (get.status >= 400) continue;
      assert.equal(head.text, "");
      assert.deepEqual(head.headers, get.headers);
    }
  });

  it("comes with Content-Location, with the parameters sorted by name", async () => {
    const answer = await ask("GET /items?select=id&order=id&id=eq.1");
    assert.equal(answer.headers["content-location"], "/items?id=eq.1&order=id&select=id");
    assert.equal((await ask("GET /makers")).headers["content-location"], "/makers");
    const encoded = await ask("GET /items?name=eq.a%2Cb");
    assert.equal(encoded.headers["content-location"], "/items?name=eq.a%2Cb");
    assert.equal((await ask("POST /makers", { body: { id: 50 } })).headers["content-location"], undefined);
    await ask("DELETE /makers?id=eq.50");
  });

  it("comes with Allow on OPTIONS", async () => {
    for (const [path, allow] of [
      ["/items", "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE"],
      ["/reading", "OPTIONS,GET,HEAD"],
      ["/items_seen", "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE"],
      ["/rpc/word", "OPTIONS,GET,HEAD,POST"],
      ["/rpc/change", "OPTIONS,POST"],
      ["/", "OPTIONS,GET,HEAD"],
    ] as const) {
      const answer = await ask(`OPTIONS ${path}`);
      assert.deepEqual([answer.status, answer.headers["allow"], answer.text], [200, allow, ""], path);
    }
    const unknown = await ask("OPTIONS /nope");
    assert.deepEqual([unknown.status, codeOf(unknown)], [404, "PGRST205"]);
  });

  it("rejects unknown methods and paths", async () => {
    for (const method of ["TRACE", "CONNECT", "LINK"]) {
      const answer = await ask(`${method} /items`);
      assert.deepEqual([answer.status, codeOf(answer)], [405, "PGRST117"]);
    }
    for (const path of ["/items/1", "/rpc", "/rpc/a/b", "//items"]) {
      const answer = await ask(`GET ${path}`);
      if (path === "/rpc") assert.deepEqual([answer.status, codeOf(answer)], [404, "PGRST205"]);
      else assert.deepEqual([answer.status, codeOf(answer)], [404, "PGRST125"], path);
    }
  });
});

describe("a read that is sent by POST", () => {
  const opened = openRestStage(SCHEMA, { schemas: ["shop"] });
  const ask = (...args: Parameters<typeof opened.stage.ask>) => opened.stage.ask(...args);
  const FORM = "application/x-www-form-urlencoded";
  const headers = { "x-http-method-override": "GET", "content-type": FORM };

  it("has its query in the body and the same response as GET", async () => {
    const query = "select=id,name,makers(name)&name=eq.a%2Cb&order=id";
    const [post, get] = [await ask("POST /items", { headers, body: query }), await ask(`GET /items?${query}`)];
    assert.deepEqual(post, get);
    assert.equal(post.status, 200);
  });

  it("combines the query of the URL and the body", async () => {
    const answer = await ask("POST /items?select=id", { headers, body: "id=gt.1&order=id.desc" });
    assert.deepEqual(answer.json, [{ id: 3 }, { id: 2 }]);
    const alone = await ask("POST /items?select=id&id=eq.1", { headers: { "x-http-method-override": "GET" } });
    assert.deepEqual(alone.json, [{ id: 1 }]);
  });

  it("accepts a filter that is longer than a URL can be", async () => {
    const ids = Array.from({ length: 20_000 }, (_, at) => at + 2).join(",");
    const answer = await ask("POST /items?select=id", { headers, body: `id=in.(${ids})&order=id` });
    assert.deepEqual([answer.status, answer.json], [200, [{ id: 2 }, { id: 3 }]]);
    assert.ok((answer.headers["content-location"] ?? "").length < 9000);
  });

  it("can be a HEAD, and can call a read-only function", async () => {
    const head = await ask("POST /items", {
      headers: { ...headers, "x-http-method-override": "HEAD" },
      body: "id=eq.1",
    });
    assert.deepEqual([head.status, head.text, head.headers["content-range"]], [200, "", "0-0/*"]);
    const called = await ask("POST /rpc/numbers", { headers, body: "limit=2" });
    assert.deepEqual(called.json, [1, 2]);
  });

  it("uses the profile and the media types of a read", async () => {
    const answer = await ask("POST /items", { headers: { ...headers, accept: OBJECT }, body: "id=eq.1&select=id" });
    assert.equal(answer.text, '{"id":1}');
  });

  it("never writes, and rejects any other method or body", async () => {
    const json = await ask("POST /makers", {
      headers: { ...headers, "content-type": "application/json" },
      body: { id: 99, name: "x" },
    });
    assert.deepEqual([json.status, codeOf(json)], [400, "PGRST102"]);
    const patch = await ask("POST /makers?id=eq.1", { headers: { ...headers, "x-http-method-override": "DELETE" } });
    assert.deepEqual([patch.status, codeOf(patch)], [405, "PGRST117"]);
    assert.equal(((await ask("GET /makers")).json as unknown[]).length, 1);
  });
});

describe("execution plans, when enabled", () => {
  const opened = openRestStage(SCHEMA, { schemas: ["shop"], isPlanEnabled: true });
  const ask = (...args: Parameters<typeof opened.stage.ask>) => opened.stage.ask(...args);

  it("are text or JSON, for the media type of the request", async () => {
    const text = await ask("GET /items?id=eq.1", {
      headers: { accept: 'application/vnd.pgrst.plan+text; for="application/json"; options=analyze|verbose;' },
    });
    assert.equal(text.status, 200, text.text);
    assert.match(text.text, /Index Scan/);
    assert.match(text.text, /actual (time|rows)/);
    assert.match(
      text.headers["content-type"] ?? "",
      /^application\/vnd\.pgrst\.plan\+text; for="application\/json"; options=analyze\|verbose/,
    );
    const json = await ask("GET /items", { headers: { accept: "application/vnd.pgrst.plan+json" } });
    const [plan] = json.json as { Plan: { "Node Type": string } }[];
    assert.equal(plan?.Plan["Node Type"], "Aggregate");
    for (const call of ["GET /items?limit=1", "GET /rpc/numbers", "GET /rpc/word", "HEAD /items"] as const) {
      const explained = await ask(call, {
        headers: { accept: "application/vnd.pgrst.plan+text", prefer: "count=exact" },
      });
      assert.match(explained.text, /^Aggregate/, call);
      assert.equal(explained.status, 200, call);
    }
    const plain = await ask("GET /items", { headers: { accept: "application/vnd.pgrst.plan" } });
    assert.match(plain.text, /cost=/);
  });

  it("write nothing, except with analyze", async () => {
    const answer = await ask("POST /makers", {
      headers: { accept: "application/vnd.pgrst.plan+text" },
      body: { id: 60, name: "x" },
    });
    assert.equal(answer.status, 200, answer.text);
    assert.match(answer.text, /^Aggregate[^]*Insert on/);
    assert.deepEqual((await ask("GET /makers?id=eq.60")).json, []);
  });

  it("require the rights of the request", async () => {
    const answer = await ask("GET /items", { as: ANON, headers: { accept: "application/vnd.pgrst.plan+text" } });
    assert.equal(answer.status, 401);
  });
});
