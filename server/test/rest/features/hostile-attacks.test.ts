import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openHostileStage } from "./hostile-stage.ts";
import type { AskOptions, Asked } from "./rest-stage.ts";

const REPRESENTATION = { prefer: "return=representation" };
const LONG_NAME = "n".repeat(64);
const EVIL_NAMES = [
  'a"b',
  'a""b',
  '"',
  "a'b",
  "a\\b",
  "a;b",
  "a--b",
  "$1",
  "a\u0001b",
  "\u{1f600}".repeat(16),
  LONG_NAME,
  "n".repeat(100_000),
  "__proto__",
  "constructor",
  "toString",
  "hidden.trap()",
  '"hidden"."kept"',
];

describe("attacks on REST", () => {
  const world = openHostileStage();

  const attack = async (line: string, options: AskOptions = {}): Promise<Asked> => {
    const answer = await world.ask(line, options);
    world.assertHarmless(answer);
    return answer;
  };
  const codeOf = ({ json }: Asked) => (json as { code?: string } | undefined)?.code;
  const encode = encodeURIComponent;
  const quote = (text: string) => encode(`"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`);
  const json = { "content-type": "application/json" };

  it("are detected by this test", async () => {
    await assert.rejects(world.stage.run("select hidden.trap()"), /the trap was sprung/);
    const seen = await world.ask("GET /notes", { as: world.bob });
    assert.throws(() => world.assertHarmless(seen));
  });

  it("by names: no name is executed as SQL", async () => {
    const attackBy = async (name: string) => {
      const places = [
        `select=${quote(name)}`,
        `select=${quote(name)}:name`,
        `select=x:name,${quote(name)}(*)`,
        `select=agents!${quote(name)}(*)`,
        `select=settings->${quote(name)}`,
        `select=name::${encode(name)}`,
        `${quote(name)}=eq.1`,
        `settings->>${quote(name)}=eq.1`,
        `or=(${quote(name)}.eq.1,id.eq.1)`,
        `order=${quote(name)}`,
        `order=settings->${quote(name)}`,
        `name=fts(${encode(name)}).x`,
        `${quote(name)}.limit=1`,
        `columns=${quote(name)}`,
        `on_conflict=${quote(name)}`,
      ];
      await Promise.all(places.map((place) => attack(`GET /notes?${place}`)));
      for (const place of places.slice(-2)) {
        const headers = { ...json, prefer: "resolution=merge-duplicates" };
        const answer = await attack(`POST /notes?${place}`, { body: { name: "x" }, headers });
        assert.ok(answer.status >= 400, `${place} ${answer.text}`);
      }
      await attack(`GET /${encode(name)}`);
      await attack(`POST /rpc/${encode(name)}`, { body: { [name]: 1 }, headers: json });
      await attack("GET /notes", { headers: { "accept-profile": name } });
      const unknown = await attack("POST /notes", { body: { name: "x", [name]: 1 }, headers: json });
      assert.equal(unknown.status, 400, unknown.text);
    };
    // Concurrently, because one catalogue check serves all waiting requests.
    await Promise.all(EVIL_NAMES.map(attackBy));
    await world.assertUntouched();
  });

  it("by an alias of the maximum length, and one byte longer", async () => {
    const fits = await attack(`GET /notes?select=${"n".repeat(63)}:name&limit=1`);
    assert.equal(fits.status, 200, fits.text);
    assert.equal((await attack(`GET /notes?select=${LONG_NAME}:name&limit=1`)).status, 400);
  });

  it("by keys of JSON: no key is executed as SQL", async () => {
    for (const key of ["a'b", 'a"b', "a\\b", "a\\\\'; select hidden.trap(); --", "{}", "$.x", "0", "a b", "é"]) {
      const made = await attack(`POST /notes?select=id,v:settings->>${quote(key)}`, {
        headers: { ...json, ...REPRESENTATION },
        body: { name: "keys", settings: { [key]: "found" } },
      });
      assert.equal((made.json as { v?: string }[])[0]?.v, "found", key);
      const filtered = await attack(`GET /notes?select=name&settings->>${quote(key)}=eq.found`);
      assert.equal((filtered.json as unknown[]).length, 1, `${key} ${filtered.text}`);
      await attack(`DELETE /notes?name=eq.keys`);
    }
  });

  it("by large numbers of columns and rows", async () => {
    const rejected = [
      `GET /notes?or=${"(or".repeat(10_000)}`,
      `GET /notes?or=${"(and".repeat(60)}(id.eq.1)${")".repeat(60)}`,
      `GET /notes?${Array.from({ length: 10_001 }, (_, at) => `name=neq.${at}`).join("&")}`,
      `GET /notes?select=${"agents(notes(".repeat(60)}id${"))".repeat(60)}`,
      `GET /notes?select=${Array.from({ length: 1_300 }, (_, at) => `c${at}:name`).join(",")}`,
      `GET /notes?select=settings${"->a".repeat(10_000)}`,
      `GET /notes?order=${Array.from({ length: 300 }, () => "name").join(",")}`,
      `GET /notes?id=in.(${"1,".repeat(100_001)}1)`,
      `GET /notes?name=fts.${"(".repeat(20_000)}a${")".repeat(20_000)}`,
      `GET /notes?settings=cs.${"[".repeat(200_000)}`,
      `GET /notes?tags=cs.${"{".repeat(100_000)}`,
      `GET /notes?${"a.".repeat(1_000)}limit=1`,
    ];
    for (const line of rejected) {
      const answer = await attack(line);
      assert.equal(answer.status, 400, `${line.slice(0, 60)} ${answer.status} ${answer.text.slice(0, 300)}`);
      assert.ok(answer.text.length < 5_000, "an error does not send back what it was sent");
    }
    const many = Array.from({ length: 9_000 }, (_, at) => `name=neq.${at}`).join("&");
    const fine = [`GET /notes?select=id&limit=1&${many}`, `GET /notes?select=id&id=in.(${"1,".repeat(50_000)}1)`];
    for (const line of fine) assert.equal((await attack(line)).status, 200, line.slice(0, 60));
  });

  it("by bodies that are deeply nested, duplicated or malformed", async () => {
    const post = (body: string | Buffer, table = "notes") =>
      attack(`POST /${table}?select=*`, { body, headers: { ...json, ...REPRESENTATION } });
    const rejected: (string | Buffer)[] = [
      `{"settings":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
      `{"settings":${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}}`,
      '{"name":"\\ud800"}',
      '{"name":"\\u0000"}',
      '{"settings":{"a":"\\u0000"}}',
      '{"settings":{"a":"\\udc00\\ud800"}}',
      '{"number":1e400000}',
      '{"id":1e400}',
      '{"id":2147483648}',
      '{"at":"infinity "x}',
      '[{"name":"a"},{"name":"b","number":1}]',
      '[{"name":"a"},null]',
      Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ];
    for (const body of rejected) {
      const answer = await post(body);
      assert.equal(answer.status, 400, `${body.toString().slice(0, 60)} ${answer.text.slice(0, 300)}`);
    }
    const rowOf = async (body: string) => ((await post(body)).json as Record<string, unknown>[])[0];
    assert.equal(
      (await rowOf('{"name":"a","number":1e400}'))?.["number"]?.toString(),
      "Infinity",
      "kept in full as numeric",
    );
    assert.equal((await rowOf('{"name":"a","n\\u0061me":"b"}'))?.["name"], "b", "the last of two, as everywhere");
    const deep = `{"made":${"[".repeat(900)}${"]".repeat(900)}}`;
    assert.equal((await post(deep)).status, 201);
    const proto = await post('{"name":"p","settings":{"__proto__":{"x":1},"constructor":{"prototype":{}}}}');
    assert.match(proto.text, /"__proto__": ?\{"x": ?1\}/);
    assert.equal(Reflect.get({}, "x"), undefined);
  });

  it("by duplicate keys: the validated value is the value that is written", async () => {
    const post = (body: string) =>
      attack("POST /agents?select=name,user_id", { body, headers: { ...json, ...REPRESENTATION } });
    for (const name of ["name", "n\\u0061me"]) {
      assert.equal(codeOf(await post(`{"name":"fine","${name}":""}`)), "VALIDATION_ERROR");
      assert.equal(codeOf(await post(`{"name":"fine","${name}":"${"x".repeat(101)}"}`)), "VALIDATION_ERROR");
    }
    const { bob, ada } = world;
    assert.equal(
      codeOf(await post(`{"name":"a","user_id":"${ada.userId}","user_id":"${bob.userId}"}`)),
      "PERMISSION_DENIED",
    );
    const last = await post(`{"name":"a","user_id":"${bob.userId}","user_id":"${ada.userId}"}`);
    assert.deepEqual(last.json, [{ name: "a", user_id: ada.userId }]);
    for (const body of [
      '{"name":"a","__proto__":{"name":""}}',
      '{"__proto__":{"name":"a"}}',
      '{"name":"a","settings":{"temperature":1e400}}',
    ]) {
      assert.equal((await post(body)).status, 400, body);
    }
    await world.assertUntouched();
  });

  it("by references to another user's rows", async () => {
    const attackRow = async (id: string) => {
      for (const table of ["agents", "tools", "agent_tools", "webhooks", "swarms", "messages", "notes"]) {
        await attack(`GET /${table}?id=eq.${id}`);
        await attack(`GET /${table}?id=eq.${id}`, { headers: { accept: "application/vnd.pgrst.object+json" } });
        await attack(`GET /${table}?or=(id.eq.${id},id.not.is.null)&select=*`);
        await attack(`DELETE /${table}?id=eq.${id}`, { headers: REPRESENTATION });
        await attack(`PATCH /${table}?id=eq.${id}`, { body: { id }, headers: { ...json, ...REPRESENTATION } });
        await attack(`POST /${table}?on_conflict=id`, {
          body: { id, name: "mine_now", description: "x", url: "https://example.com", events: ["agent.created"] },
          headers: { ...json, prefer: "resolution=merge-duplicates,return=representation" },
        });
      }
      await attack(`GET /agents?select=*,agent_tools(*,tools(*),tool(*)),notes(*)&agent_tools.tool_id=eq.${id}`);
      await attack("POST /agent_tools", { body: { agent_id: id, tool_id: id }, headers: json });
      await attack("POST /messages", { body: { swarm_id: id, content: "x" }, headers: json });
    };
    await Promise.all(world.bobsIds.map(attackRow));
    await attack(`GET /agents?user_id=eq.${world.bob.userId}&select=count(),name.max()`);
    await world.assertUntouched();
  });

  it("by objects outside of the exposed schemas", async () => {
    for (const name of ["set_config", "pg_sleep", "pg_read_file", "query_to_xml", "trap", "require_single", "uid"]) {
      const called = await attack(`POST /rpc/${name}`, { body: {}, headers: json });
      assert.equal(called.status, 404, name);
    }
    for (const profile of ["hidden", "auth", "private", "pg_catalog", "information_schema"]) {
      const answer = await attack("GET /kept", { headers: { "accept-profile": profile } });
      assert.equal(answer.status, 406, profile);
    }
    for (const path of ["/kept", "/hidden.kept", "/users", "/pg_class", "/signing_keys"]) {
      assert.equal((await attack(`GET ${path}`)).status, 404, path);
    }
  });

  it("by response headers: no value injects another header", async () => {
    const evil = "x\r\nset-cookie: a=b\r\n\r\n<html>";
    const made = await attack("POST /keyed", {
      body: { id: evil },
      headers: { ...json, prefer: "return=headers-only" },
    });
    assert.equal(made.status, 201);
    assert.equal(made.headers["location"], `/keyed?id=eq.${encode(evil)}`);
    for (const search of [`id=eq.${encode(evil)}`, `id=eq.${evil}`, "id=eq.\u00e9\u{1f600}"]) {
      const { headers } = await attack(`GET /keyed?${search}`);
      assert.match(headers["content-location"] ?? "", /^[\x21-\x7e]+$/, search);
    }
    const settings = [
      [{ "x-a": "b\r\nset-cookie: a=b" }],
      [{ "x-a\r\nset-cookie": "a" }],
      [{ "": "a" }],
      [{ "x a": "b" }],
      [{ "x-a": "\u0001" }],
      [{ "x-a": 1 }],
      { "x-a": "b" },
      "x",
    ];
    for (const headers of settings) {
      const answer = await world.ask("POST /rpc/answer", {
        body: { headers: JSON.stringify(headers), status: "200" },
        headers: json,
      });
      assert.deepEqual([answer.status, codeOf(answer)], [500, "PGRST111"], JSON.stringify(headers));
      assert.equal(answer.headers["set-cookie"], undefined);
    }
    for (const status of ["99", "600", "1e3", "abc", "200 OK\r\nx: y", "-200"]) {
      const answer = await world.ask("POST /rpc/answer", { body: { headers: "[]", status }, headers: json });
      assert.deepEqual([answer.status, codeOf(answer)], [500, "PGRST112"], status);
    }
    const reserved = [{ "content-length": "3" }, { "transfer-encoding": "chunked" }, { Connection: "close" }];
    const left = await attack("POST /rpc/answer", {
      body: { headers: JSON.stringify(reserved), status: "201" },
      headers: json,
    });
    assert.equal(left.status, 201, left.text);
    for (const name of ["content-length", "transfer-encoding", "connection"]) assert.ok(!(name in left.headers), name);
    const message = JSON.stringify({ code: "X", message: "m" });
    for (const detail of [
      { status: 400, headers: { "x-a": "b\r\nset-cookie: a=b" } },
      { status: 99, headers: {} },
      { status: 400, headers: { "a\nb": "c" } },
    ]) {
      const answer = await world.ask("POST /rpc/raise_answer", {
        body: { message, detail: JSON.stringify(detail) },
        headers: json,
      });
      assert.deepEqual([answer.status, codeOf(answer)], [500, "PGRST121"]);
      assert.equal(answer.headers["set-cookie"], undefined);
    }
  });

  it("by new request shapes: the number of prepared statements per connection is bounded", async () => {
    const shapes = Array.from({ length: 700 }, (_, at) => `GET /notes?select=c${at}:name&limit=1`);
    for (let start = 0; start < shapes.length; start += 20) {
      const some = shapes.slice(start, start + 20);
      // A shape is kept once it comes again.
      for (let times = 0; times < 3; times += 1) await Promise.all(some.map((line) => attack(line)));
    }
    const counts = await Promise.all(
      Array.from({ length: 16 }, () => attack("POST /rpc/count_prepared", { body: {}, headers: json })),
    );
    for (const { text } of counts) assert.ok(Number(text) <= 250, `${text} statements on one connection`);
  });

  it("by a function that changes the role or the claims: the change ends with its request", async () => {
    const { userId } = world.bob;
    for (const isLocal of [true, false]) {
      for (const name of ["service_role", "swarmbase_owner", "sb_service", "postgres"]) {
        const answer = await attack("POST /rpc/become", { body: { name, is_local: isLocal }, headers: json });
        assert.notEqual(answer.text, JSON.stringify(name));
        assert.ok(answer.status >= 400, answer.text);
      }
    }
    const claims = JSON.stringify({ sub: userId, role: "service_role" });
    await Promise.all(
      Array.from({ length: 12 }, () => world.ask("POST /rpc/pose", { body: { claims }, headers: json })),
    );
    await Promise.all(Array.from({ length: 24 }, () => attack("GET /notes")));
    const own = await attack("GET /agents?select=user_id");
    assert.ok(!own.text.includes(userId));
    await world.assertUntouched();
  });
});
