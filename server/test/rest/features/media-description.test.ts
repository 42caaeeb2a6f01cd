import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ANON, openRestStage } from "./rest-stage.ts";

interface Document {
  readonly swagger: string;
  readonly info: { readonly title: string; readonly description: string; readonly version: string };
  readonly host: string;
  readonly basePath: string;
  readonly schemes: readonly string[];
  readonly paths: Record<string, Record<string, { readonly parameters?: readonly { readonly $ref?: string }[] }>>;
  readonly definitions: Record<
    string,
    {
      readonly description?: string;
      readonly required?: readonly string[];
      readonly properties: Record<string, Record<string, unknown>>;
    }
  >;
  readonly parameters: Record<string, { readonly name: string; readonly in: string; readonly description?: string }>;
}

describe("the description of the schema", () => {
  const opened = openRestStage(
    `create schema shop; create schema side;
     comment on schema shop is 'A shop
Sells things';
     create type shop.mood as enum ('ok', 'bad');
     create table shop.makers (id int primary key, name varchar(40) not null);
     create table shop.items (id bigint generated always as identity primary key, name text not null, mood shop.mood default 'ok',
       maker_id int references shop.makers, tags text[], at timestamptz not null default now(), loud text generated always as (upper(name)) stored);
     comment on table shop.items is 'Things';
     comment on column shop.items.name is 'What it is called';
     create view shop.read_only as select count(*) from shop.items;
     create function shop.add(a int, b int default 1) returns int language sql stable as 'select a + b';
     create function shop.act() returns void language sql as '';
     create table side.others (id int primary key);
     grant usage on schema shop, side to anon, authenticated, service_role;
     grant all on all tables in schema shop, side to service_role;
     grant execute on all functions in schema shop to service_role;
     grant select on shop.makers to anon`,
    { schemas: ["shop", "side"] },
  );
  const ask = (...args: Parameters<typeof opened.stage.ask>) => opened.stage.ask(...args);
  const read = async (options?: Parameters<typeof ask>[1]): Promise<Document> =>
    (await ask("GET /", options)).json as Document;

  it("is a Swagger document under its own media type", async () => {
    for (const accept of ["application/openapi+json", "*/*", "application/json"]) {
      const answer = await ask("GET /", { headers: { accept } });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers["content-type"], "application/openapi+json; charset=utf-8");
    }
    const document = await read();
    assert.equal(document.swagger, "2.0");
    assert.equal(document.info.title, "A shop");
    assert.equal(document.info.description, "Sells things");
    assert.ok(document.host.startsWith("localhost"));
    assert.ok(document.schemes.includes("https"));
    assert.ok(document.basePath.length > 0);
  });

  it("has a path with its methods for each relation and function", async () => {
    const { paths } = await read();
    assert.deepEqual(Object.keys(paths["/items"] ?? {}).sort(), ["delete", "get", "patch", "post"]);
    assert.deepEqual(Object.keys(paths["/read_only"] ?? {}), ["get"]);
    assert.deepEqual(Object.keys(paths["/rpc/add"] ?? {}).sort(), ["get", "post"]);
    assert.deepEqual(Object.keys(paths["/rpc/act"] ?? {}), ["post"]);
  });

  it("contains types, formats, defaults, keys and references of columns", async () => {
    const { definitions, parameters, paths } = await read();
    const items = definitions["items"];
    assert.deepEqual([...(items?.required ?? [])].sort(), ["at", "id", "name"]);
    const { properties = {} } = items ?? {};
    assert.match(String(properties["id"]?.["description"]), /Note:\nThis is a Primary Key\.<pk\/>/);
    assert.match(
      String(properties["maker_id"]?.["description"]),
      /This is a Foreign Key to `makers\.id`\.<fk table='makers' column='id'\/>/,
    );
    assert.equal(items?.description, "Things");
    assert.equal(properties["name"]?.["description"], "What it is called");
    assert.equal(parameters["rowFilter.items.name"]?.description, "What it is called");
    assert.deepEqual([properties["id"]?.["type"], properties["id"]?.["format"]], ["integer", "int64"]);
    assert.deepEqual(properties["mood"]?.["enum"], ["ok", "bad"]);
    assert.equal(properties["tags"]?.["type"], "array");
    assert.equal(definitions["makers"]?.properties["name"]?.["maxLength"], 40);
    for (const name of [
      "rowFilter.items.name",
      "body.items",
      "select",
      "order",
      "limit",
      "offset",
      "range",
      "on_conflict",
    ]) {
      assert.ok(parameters[name] !== undefined, name);
    }
    const references = paths["/items"]?.["get"]?.parameters?.map(({ $ref }) => $ref) ?? [];
    for (const reference of references) {
      if (reference !== undefined)
        assert.ok(parameters[reference.replace("#/parameters/", "")] !== undefined, reference);
    }
  });

  it("describes the requested schema, with only the objects that the caller may use", async () => {
    const side = await read({ headers: { "accept-profile": "side" } });
    assert.deepEqual(Object.keys(side.definitions), ["others"]);
    const { definitions } = await read({ as: ANON });
    assert.deepEqual(Object.keys(definitions), ["makers"]);
  });

  it("supports HEAD without a body, and no other method", async () => {
    const head = await ask("HEAD /");
    assert.deepEqual([head.status, head.text], [200, ""]);
    const post = await ask("POST /", { body: {} });
    assert.equal(post.status, 405);
    const csv = await ask("GET /", { headers: { accept: "text/csv" } });
    assert.equal(csv.status, 406);
  });

  it("is updated after a schema change", async () => {
    await opened.stage.run("create table side.later (id int); grant select on side.later to service_role");
    await ask("GET /later", { headers: { "accept-profile": "side" } });
    const side = await read({ headers: { "accept-profile": "side" } });
    assert.deepEqual(Object.keys(side.definitions).sort(), ["later", "others"]);
  });
});
