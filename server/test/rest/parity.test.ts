import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CASES } from "./parity-cases.ts";
import { CHANGES } from "./parity-changes.ts";
import { OBJECTS, SCHEMA } from "./parity-objects.ts";
import { openParityStage, type Sent } from "./parity-stage.ts";
import { until } from "../support/until.ts";

const opened = openParityStage(OBJECTS, {
  DB_SCHEMAS: `${SCHEMA},Mixed`,
  DB_PRE_REQUEST: "hook.check",
  DB_STATEMENT_TIMEOUT_MS: "5000",
  DB_PLAN_ENABLED: "true",
  DB_MAX_ROWS: "5",
});
const send = (line: string, sent?: Sent) => opened.stage.send(line, sent);
const hook = (name: string): Record<string, string> => ({ "x-hook": name });
const settingsOf = async (line: string, sent?: Sent) => {
  const { json, text } = await send(line, sent);
  assert.ok(typeof json === "object" && json !== null, text);
  return json as Record<string, unknown>;
};

describe("the search path", () => {
  it("finds functions and types of extensions in a schema that is not exposed", async () => {
    assert.equal((await send("GET /rpc/call_out?value=hey")).json, "HEY!");
    assert.deepEqual((await send("GET /films?select=title::shout,loud&id=eq.1")).json, [
      { title: "Alpha", loud: "ALPHA" },
    ]);
    assert.deepEqual((await send("GET /films?loud=eq.BETA&select=id&order=loud")).json, [{ id: 2 }]);
    const { path } = await settingsOf("GET /rpc/settings");
    assert.equal(path, '"shop", "public", "extensions"');
    assert.equal((await send("GET /rpc/louder?value=x")).status, 404);
  });

  it("finds operators of citext in a schema that is not exposed", async () => {
    const found = [{ address: "Ada@example.test" }];
    for (const filter of [
      "eq.ADA@example.test",
      "in.(ada@EXAMPLE.test)",
      "like.ADA*",
      "eq(any).{x,ADA@example.test}",
    ]) {
      assert.deepEqual((await send(`GET /mails?address=${filter}`)).json, found, filter);
    }
    assert.deepEqual((await send("GET /mails?select=address::citext&order=address")).json, found);
    assert.equal((await send("POST /mails", { body: { address: "ADA@EXAMPLE.TEST" } })).status, 409);
  });

  it("gives GeoJSON by the function of PostGIS", async () => {
    const answer = await send("GET /films?select=id&id=lt.3&order=id", { headers: { accept: "application/geo+json" } });
    assert.match(answer.headers.get("content-type") ?? "", /^application\/geo\+json/);
    assert.deepEqual(answer.json, {
      type: "FeatureCollection",
      features: [1, 2].map((id) => ({ type: "Feature", properties: { id } })),
    });
  });

  it("is the only planner setting: compute_query_id stays as the server has it", async () => {
    const { json } = await send("GET /rpc/source_of?name=compute_query_id");
    assert.ok(json === "default" || json === "configuration file", String(json));
  });
});

describe("the pre-request function", () => {
  it("can reject any request, and nothing is written", async () => {
    for (const [line, body] of [
      ["GET /films"],
      ["HEAD /films"],
      ["POST /films", { id: 70, title: "x" }],
      ["PATCH /films?id=eq.1", { title: "x" }],
      ["PUT /films?id=eq.70", { id: 70, title: "x" }],
      ["DELETE /films?id=eq.1"],
      ["POST /rpc/settings", {}],
      ["GET /"],
    ] as const) {
      const answer = await send(line, { headers: hook("reject"), ...(body !== undefined && { body }) });
      assert.equal(answer.status, 418, `${line}: ${answer.text}`);
      if (line.startsWith("HEAD")) continue;
      const { code, message, hint } = answer.json as Record<string, unknown>;
      assert.deepEqual([code, message, hint], ["PT418", "rejected by the hook", "try without"]);
    }
    assert.equal((await send("OPTIONS /films", { headers: hook("reject") })).status, 200);
    assert.equal((await send("GET /films?id=eq.1", { headers: hook("deny"), as: "user" })).status, 403);
    assert.deepEqual((await send("GET /films?select=id,title&id=in.(1,70)")).json, [{ id: 1, title: "Alpha" }]);
  });

  it("can set headers and the status of the response, for one request only", async () => {
    const answer = await send("GET /films?id=eq.1", { headers: hook("headers") });
    assert.deepEqual([answer.status, answer.headers.get("x-hook")], [200, "GET /rest/v1/films"]);
    assert.equal((await send("GET /films?id=eq.1", { headers: hook("status") })).status, 203);
    assert.equal((await settingsOf("GET /rpc/settings", { headers: hook("mark") }))["seen"], "marked");
    for (let request = 0; request < 6; request += 1) {
      const next = await send("GET /films?id=eq.1");
      assert.deepEqual([next.status, next.headers.get("x-hook")], [200, null]);
      assert.ok(!(await settingsOf("GET /rpc/settings"))["seen"]);
    }
  });

  it("changes neither the caller nor the time limit", async () => {
    const plain = await settingsOf("GET /rpc/settings", { as: "user" });
    const changed = await settingsOf("GET /rpc/settings", { as: "user", headers: hook("limits") });
    assert.deepEqual(changed, plain);
    assert.deepEqual([plain["role"], plain["timeout"]], ["authenticated", "5s"]);
    assert.deepEqual((await send("GET /secrets", { as: "user", headers: hook("limits") })).json, []);
    assert.equal((await send("GET /rpc/doze", { headers: hook("sleep") })).status, 504);
  });

  it("runs before each operation of a batch", async () => {
    const operations = [
      { method: "GET", path: "/films?select=id&id=eq.1" },
      { method: "PATCH", path: "/films?id=eq.1", body: { minutes: 91 } },
    ];
    const batch = (name: string) => send("POST /functions/v1/batch", { headers: hook(name), body: { operations } });
    const { json } = await batch("headers");
    const { results } = json as { readonly results: readonly { readonly headers: Record<string, string> }[] };
    assert.deepEqual(
      results.map(({ headers }) => headers["x-hook"]),
      ["GET /rest/v1/films", "PATCH /rest/v1/films"],
    );
    const rejected = await batch("reject");
    assert.deepEqual([rejected.status, (rejected.json as { code: string }).code], [418, "PT418"]);
  });

  it("cannot write before a read", async () => {
    const answer = await send("GET /films", { headers: hook("write") });
    assert.deepEqual([answer.status, (answer.json as { code: string }).code], [405, "25006"]);
    assert.equal(
      (await send("PATCH /films?id=eq.1", { headers: hook("write"), body: { title: "Alpha" } })).status,
      204,
    );
    assert.equal((await send("DELETE /films?id=eq.77", { headers: { prefer: "return=representation" } })).status, 200);
  });
});

describe("settings of roles and functions", () => {
  it("of a role apply to each of its requests, up to the time limit of the service", async () => {
    const { stage } = opened;
    const { rows } = await stage.database.owner.query<{ name: string }>("select current_database() as name");
    // Not for all databases: other tests use the same roles.
    const role = `alter role authenticated in database ${rows[0]?.name}`;
    const alter = (...changes: readonly string[]) =>
      stage.admin([...changes.map((change) => `${role} ${change}`), "notify pgrst"].join(";"));
    await alter(
      "set statement_timeout = '2s'",
      "set work_mem = '1234kB'",
      "set default_transaction_isolation = 'repeatable read'",
      "set search_path = 'pg_temp'",
    );
    await until(async () => (await settingsOf("GET /rpc/settings", { as: "user" }))["timeout"] === "2s");
    const own = await settingsOf("GET /rpc/settings", { as: "user" });
    assert.deepEqual([own["work_mem"], own["isolation"]], ["1234kB", "repeatable read"]);
    assert.equal(own["path"], '"shop", "public", "extensions"');
    const others = await settingsOf("GET /rpc/settings");
    assert.deepEqual([others["timeout"], others["isolation"]], ["5s", "read committed"]);
    assert.notEqual(others["work_mem"], "1234kB");
    await alter("set statement_timeout = 0");
    await until(async () => (await settingsOf("GET /rpc/settings", { as: "user" }))["timeout"] === "5s");
    await alter("reset all");
    await until(async () => (await settingsOf("GET /rpc/settings", { as: "user" }))["isolation"] === "read committed");
  });

  it("of a function apply to the call, up to the time limit of the service", async () => {
    assert.deepEqual((await send("GET /rpc/film_at_once?select=limits")).json, [{ limits: "3s, serializable" }]);
    assert.deepEqual((await send("GET /rpc/film_at_leisure?select=limits")).json, [{ limits: "5s, read committed" }]);
    const dozing = await send("GET /rpc/doze");
    assert.deepEqual([dozing.status, (dozing.json as { code: string }).code], [504, "57014"]);
    const plain = await settingsOf("GET /rpc/settings");
    assert.deepEqual([plain["timeout"], plain["isolation"]], ["5s", "read committed"]);
  });
});

describe("domains with implicit casts", () => {
  const prefer = "return=representation";

  it("are shown, selected, embedded and spread by the cast to JSON", async () => {
    assert.deepEqual((await send("GET /parts?code=eq.C-2")).json, [{ code: "C-2", name: "wheel", whole: "C-1" }]);
    assert.deepEqual((await send("GET /parts?select=id:code,name,plain:code::int&order=code.desc&limit=1")).json, [
      { id: "C-3", name: "tyre", plain: 3 },
    ]);
    assert.deepEqual((await send("GET /films?select=id,title&id=eq.1")).json, [{ id: 1, title: "Alpha" }]);
    const embedded = await send("GET /stock?select=part,above:parts(*),...parts(upper:code)");
    assert.deepEqual(embedded.json, [
      { part: "C-2", above: { code: "C-2", name: "wheel", whole: "C-1" }, upper: "C-2" },
    ]);
    const csv = await send("GET /parts?select=code,name&code=eq.C-1", { headers: { accept: "text/csv" } });
    assert.equal(csv.text, 'code,name\n"""C-1""",car');
    assert.deepEqual((await send("GET /parts?select=whole,count()&order=whole.nullsfirst&limit=2")).json, [
      { whole: null, count: 1 },
      { whole: 1, count: 1 },
    ]);
  });

  it("are compared by the cast from text", async () => {
    for (const [filter, codes] of [
      ["code=eq.C-1", ["C-1"]],
      ["code=in.(C-1,C-3)", ["C-1", "C-3"]],
      ["code=gt(any).{C-1,C-2}", ["C-2", "C-3"]],
      ["code=neq.C-2", ["C-1", "C-3"]],
      ["or=(code.eq.C-1,whole.eq.C-1)", ["C-1", "C-2"]],
      ["whole=isdistinct.C-1", ["C-1", "C-3"]],
      ["whole=is.null", ["C-1"]],
    ] as const) {
      const answer = await send(`GET /parts?select=code&order=code&${filter}`);
      assert.deepEqual(
        answer.json,
        codes.map((code) => ({ code })),
        `${filter}: ${answer.text}`,
      );
    }
  });

  it("are written by the cast from JSON", async () => {
    const made = await send("POST /parts", {
      headers: { prefer },
      body: [
        { code: "C-40", whole: null },
        { code: "C-41", whole: "C-40" },
      ],
    });
    assert.deepEqual(made.json, [
      { code: "C-40", name: null, whole: null },
      { code: "C-41", name: null, whole: "C-40" },
    ]);
    const changed = await send("PATCH /parts?code=eq.C-41", { headers: { prefer }, body: { whole: "C-3" } });
    assert.deepEqual(changed.json, [{ code: "C-41", name: null, whole: "C-3" }]);
    const put = await send("PUT /parts?code=eq.C-41", {
      headers: { prefer },
      body: { code: "C-41", name: "cap", whole: "C-3" },
    });
    assert.deepEqual([put.status, put.json], [200, [{ code: "C-41", name: "cap", whole: "C-3" }]]);
    const merged = await send("POST /parts?columns=code,name", {
      headers: { prefer: `${prefer}, resolution=merge-duplicates, missing=default`, "content-type": "text/csv" },
      body: "code,name\nC-40,rim",
    });
    assert.deepEqual(merged.json, [{ code: "C-40", name: "rim", whole: null }]);
    const gone = await send("DELETE /parts?code=in.(C-40,C-41)&select=code", { headers: { prefer } });
    assert.deepEqual(gone.json, [{ code: "C-40" }, { code: "C-41" }]);
  });
});

describe("handlers of media types", () => {
  const get = async (line: string, accept: string, more: Sent = {}) => {
    const { status, headers, text } = await send(line, { ...more, headers: { accept, ...more.headers } });
    return [status, headers.get("content-type"), text, headers.get("content-range")];
  };

  it("take the rows of a table, of a function and of a write", async () => {
    const media = "application/vnd.titles";
    assert.deepEqual(await get("GET /films?order=id.desc", media), [200, media, "Gamma;Beta;Alpha;", "0-2/*"]);
    assert.deepEqual(await get("GET /films?id=gt.1&limit=1&order=id", media), [200, media, "Beta;", "0-0/*"]);
    assert.deepEqual(await get("GET /films?id=eq.0", media), [200, media, "", "*/*"]);
    assert.deepEqual(await get("GET /rpc/long_films", media), [200, media, "Gamma;", "0-0/*"]);
    const prefer = "return=representation, count=exact";
    const written = await get("PATCH /films?id=eq.1", media, { headers: { prefer }, body: { title: "Alpha" } });
    assert.deepEqual(written, [200, media, "Alpha;", "0-0/1"]);
    const counted = await get("GET /films?limit=2&order=id", media, { headers: { prefer: "count=exact" } });
    assert.deepEqual(counted, [206, media, "Alpha;Beta;", "0-1/3"]);
  });

  it("are not used for other tables or for some of the columns", async () => {
    assert.equal((await send("GET /parts", { headers: { accept: "application/vnd.titles" } })).status, 406);
    assert.equal((await send("GET /films?select=id", { headers: { accept: "application/vnd.titles" } })).status, 406);
    assert.equal(
      (await send("GET /films", { headers: { accept: "application/vnd.titles, application/json;q=0.1" } })).status,
      200,
    );
  });

  it("replace a built-in media type, and can set headers", async () => {
    const answer = await send("GET /parts?order=code", { headers: { accept: "text/csv" } });
    assert.equal(answer.text, "the name\ncar\nwheel\ntyre\n");
    assert.equal(answer.headers.get("content-disposition"), "attachment; filename=parts.csv");
    assert.match((await send("GET /films?order=id", { headers: { accept: "text/csv" } })).text, /^id,title,/);
  });

  it("for every media type come first, except before those of PostgREST", async () => {
    assert.deepEqual((await get("GET /films.txt?id=eq.1", "*/*")).slice(0, 3), [
      200,
      "application/octet-stream",
      "1Alpha",
    ]);
    assert.deepEqual((await get("GET /films.txt?id=eq.1", "image/png")).slice(0, 3), [200, "image/png", "1Alpha"]);
    assert.deepEqual((await get("GET /rpc/as_asked", "text/x-own")).slice(0, 3), [
      200,
      "text/x-own; charset=utf-8",
      "as asked",
    ]);
    const single = await send("GET /films.txt?id=eq.1", { headers: { accept: "application/vnd.pgrst.object+json" } });
    assert.deepEqual(single.json, { id: 1, title: "Alpha" });
  });

  it("take no row beyond the row limit", async () => {
    const answer = await send("GET /numbers?order=number", { headers: { accept: "application/x-ndjson" } });
    assert.deepEqual([answer.status, answer.headers.get("x-row-limit")], [206, "5"]);
    assert.equal(answer.text, '{"number":1}\n{"number":2}\n{"number":3}\n{"number":4}\n{"number":5}\n');
  });

  it("of any row take selected columns and embeds", async () => {
    const lines = await get("GET /films?select=id,title&order=id&limit=2", "application/x-ndjson");
    assert.deepEqual(lines.slice(1, 3), [
      "application/x-ndjson; charset=utf-8",
      '{"id":1,"title":"Alpha"}\n{"id":2,"title":"Beta"}\n',
    ]);
    assert.equal(
      (await get("GET /stock?select=id,parts(code)", "application/x-ndjson"))[2],
      '{"id":1,"parts":{"code":"C-2"}}\n',
    );
  });
});

describe("requests as the reference of PostgREST shows them", () => {
  for (const [title, steps] of Object.entries({ ...CHANGES, ...CASES })) {
    it(title, async () => {
      for (const [line, sent, status, expected, headers = {}] of steps) {
        const answer = await send(line, sent ?? {});
        assert.equal(answer.status, status, `${line}: ${answer.text}`);
        if (expected instanceof RegExp) assert.match(answer.text, expected, line);
        else if (typeof expected === "string") assert.equal(answer.text, expected, line);
        else if (Array.isArray(expected) || typeof expected === "number") assert.deepEqual(answer.json, expected, line);
        else if (expected !== undefined) assert.partialDeepStrictEqual(answer.json, expected, line);
        const named = Object.keys(headers).map((name) => [name, answer.headers.get(name)]);
        assert.deepEqual(Object.fromEntries(named), headers, line);
      }
    });
  }

  it("comments are the summary and the description of the OpenAPI document", async () => {
    const { json } = await send("GET /");
    assert.partialDeepStrictEqual(json, {
      info: { title: "A shop" },
      definitions: { specs: { properties: { camera: { description: "What it was filmed with" } } } },
      paths: { "/specs": { get: { summary: "Specs in short", description: "Specs at length." } } },
    });
  });
});
