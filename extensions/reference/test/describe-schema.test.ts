import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type {
  Catalogue,
  FunctionEntry,
  ForeignKeyRelationship,
  Parameter,
  Relation,
  SchemaDescription,
} from "swarmbase/extension";
import {
  column,
  dataType,
  functionEntry,
  INTEGER,
  relation,
  TEXT,
} from "../../../server/test/support/catalogue-parts.ts";
import { describeSchema } from "../src/swagger/describe-schema.ts";
import type { SwaggerSchema } from "../src/swagger/swagger.ts";

const OPTIONS: SchemaDescription = { schema: "public", baseUrl: "https://example.com:8443/rest/v1/", version: "1.2.3" };

const BIGINT = dataType("bigint", "number");
const MOOD = dataType("public.mood", "enum", { enumValues: ["sad", "ok"] });
const JSONB = dataType("jsonb", "jsonb");
const TEXTS = dataType("text[]", "array", { elementCategory: "text" });
const INTEGERS = dataType("integer[]", "array", { elementCategory: "number" });

const AUTHORS = relation(
  "authors",
  [
    column("id", BIGINT, { isNullable: false, identity: "always" }),
    column("name", dataType("character varying", "text"), {
      isNullable: false,
      maxLength: 20,
      default: "'it''s'::character varying",
      comment: "As on the cover",
    }),
  ],
  { primaryKey: ["id"], comment: "Who writes\n\nAll of them,\nalive or not." },
);
const BOOKS = relation(
  "books",
  [
    column("author_id", BIGINT, { isNullable: false, comment: "Who wrote it" }),
    column("number", INTEGER, { isNullable: false, default: "1" }),
    column("mood", MOOD, { default: "'ok'::public.mood" }),
    column("extra", JSONB, { default: `'{"a": [1]}'::jsonb` }),
    column("tags", TEXTS),
    column("counts", INTEGERS),
    column("price", dataType("numeric", "number"), { default: "random()" }),
    column("is_out", dataType("boolean", "boolean"), { default: "false" }),
    column("made_at", dataType("timestamp with time zone", "datetime"), { default: "now()" }),
  ],
  { primaryKey: ["author_id", "number"] },
);
const OLD_BOOKS = relation("old books/~", [column("author_id", BIGINT)], {
  kind: "view",
  isView: true,
  isInsertable: false,
  isUpdatable: false,
  isDeletable: false,
});

function relationship(
  from: Relation,
  target: Relation,
  columns: ForeignKeyRelationship["columns"],
): ForeignKeyRelationship {
  const ends = { from: { schema: "public", name: from.name }, target: { schema: "public", name: target.name } };
  const views = { isFromView: from.isView, isTargetView: target.isView };
  return { constraint: "fk", ...ends, columns, isOneToOne: false, ...views };
}

function parameter(name: string, type: Parameter["type"], rest: Partial<Parameter> = {}): Parameter {
  return { name, type, isRequired: true, isVariadic: false, ...rest };
}

function catalogueOf(
  relations: readonly Relation[],
  functions: readonly FunctionEntry[] = [],
  relationships: readonly ForeignKeyRelationship[] = [],
  comment: string | null = null,
): Catalogue {
  const schema = {
    name: "public",
    comment,
    relations: new Map(relations.map((one) => [one.name, one])),
    functions: Map.groupBy(functions, ({ name }) => name),
  };
  const schemas = new Map([["public", schema]]);
  return { version: "1", schemas, relationships, mediaHandlers: [], roleSettings: new Map(), isComplete: true };
}

const LINKS = [
  relationship(BOOKS, OLD_BOOKS, [["author_id", "author_id"]]),
  relationship(BOOKS, AUTHORS, [["author_id", "id"]]),
  relationship(BOOKS, AUTHORS, [
    ["number", "id"],
    ["mood", "name"],
  ]),
];
const CATALOGUE = catalogueOf([AUTHORS, BOOKS, OLD_BOOKS], [], LINKS);

describe("the OpenAPI document", () => {
  it("contains its title, version and base URL", () => {
    const { swagger, info, host, basePath, schemes } = describeSchema(CATALOGUE, OPTIONS);
    assert.deepEqual(
      { swagger, host, basePath, schemes },
      { swagger: "2.0", host: "example.com:8443", basePath: "/rest/v1", schemes: ["https"] },
    );
    assert.equal(info.version, "1.2.3");
    const plain = describeSchema(CATALOGUE, { ...OPTIONS, baseUrl: "http://localhost" });
    assert.deepEqual([plain.basePath, plain.schemes], ["/", ["http"]]);
  });

  it("takes its title from the schema's comment", () => {
    const { info } = describeSchema(catalogueOf([], [], [], "Library\nBooks and those who write them"), OPTIONS);
    assert.deepEqual(info, { title: "Library", description: "Books and those who write them", version: "1.2.3" });
  });

  it("is JSON, and every reference in it resolves", () => {
    const functions = [functionEntry("act")];
    const text = JSON.stringify(describeSchema(catalogueOf([AUTHORS, BOOKS, OLD_BOOKS], functions, LINKS), OPTIONS));
    const document: unknown = JSON.parse(text);
    const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path ?? "");
    assert.ok(references.length > 20);
    for (const path of references) {
      const steps = path.split("/").map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
      let found: unknown = document;
      for (const step of steps) found = (found as Record<string, unknown>)[step];
      assert.equal(typeof found, "object", path);
    }
  });

  it("is empty for a schema that does not exist", () => {
    const { paths, definitions } = describeSchema(CATALOGUE, { ...OPTIONS, schema: "other" });
    assert.deepEqual([Object.keys(paths), definitions], [["/"], {}]);
  });

  it("contains only visible objects", () => {
    const visibility = { hasRelation: ({ name }: Relation) => name === "books", hasFunction: () => false };
    const seen = describeSchema(catalogueOf([AUTHORS, BOOKS], [functionEntry("act")], LINKS), {
      ...OPTIONS,
      visibility,
    });
    assert.deepEqual(Object.keys(seen.paths), ["/", "/books"]);
    assert.doesNotMatch(JSON.stringify(seen), /authors/);
  });
});

describe("definitions", () => {
  const { definitions } = describeSchema(CATALOGUE, OPTIONS);
  const books = definitions["books"]?.properties ?? {};

  it("contain the required columns and the comment of the relation", () => {
    assert.deepEqual(definitions["authors"]?.required, ["id", "name"]);
    assert.equal(definitions["authors"]?.description, AUTHORS.comment);
    assert.equal(definitions["old books/~"]?.required, undefined);
  });

  it("mark primary and foreign keys with the notes that type generators parse", () => {
    assert.deepEqual(definitions["authors"]?.properties, {
      id: { type: "integer", format: "int64", description: "Note:\nThis is a Primary Key.<pk/>" },
      name: {
        type: "string",
        format: "character varying",
        default: "it's",
        maxLength: 20,
        description: "As on the cover",
      },
    });
    assert.equal(
      books["author_id"]?.description,
      "Who wrote it\n\nNote:\nThis is a Primary Key.<pk/>\n" +
        "This is a Foreign Key to `authors.id`.<fk table='authors' column='id'/>",
    );
    assert.equal(books["mood"]?.description, undefined, "a key of two columns is of neither");
  });

  const columns: Record<string, SwaggerSchema> = {
    mood: { type: "string", format: "public.mood", enum: ["sad", "ok"], default: "ok" },
    extra: { format: "jsonb", default: { a: [1] } },
    tags: { type: "array", format: "text[]", items: { type: "string" } },
    counts: { type: "array", format: "integer[]", items: { type: "integer" } },
    price: { type: "number", format: "numeric" },
    is_out: { type: "boolean", format: "boolean", default: false },
    made_at: { type: "string", format: "timestamp with time zone", default: "now()" },
  };
  for (const [name, schema] of Object.entries(columns)) {
    it(`describe the column ${name}`, () => assert.deepEqual(books[name], schema));
  }
});

describe("paths of relations", () => {
  const { paths, parameters } = describeSchema(CATALOGUE, OPTIONS);

  it("have the methods that the relation accepts", () => {
    assert.deepEqual(Object.keys(paths["/authors"] ?? {}), ["get", "post", "patch", "delete"]);
    assert.deepEqual(Object.keys(paths["/old books/~"] ?? {}), ["get"]);
  });

  it("split the comment", () => {
    assert.partialDeepStrictEqual(paths["/authors"]?.get, {
      tags: ["authors"],
      summary: "Who writes",
      description: "All of them,\nalive or not.",
    });
  });

  it("filter by every column", () => {
    assert.deepEqual(
      paths["/authors"]?.get?.parameters?.slice(0, 3).map((one) => ("$ref" in one ? one.$ref : one.name)),
      ["#/parameters/rowFilter.authors.id", "#/parameters/rowFilter.authors.name", "#/parameters/select"],
    );
    assert.deepEqual(parameters["rowFilter.authors.name"], {
      name: "name",
      description: "As on the cover",
      required: false,
      in: "query",
      type: "string",
    });
    assert.deepEqual(parameters["body.authors"]?.schema, { $ref: "#/definitions/authors" });
  });

  it("share the parameters of the query language", () => {
    const names = ["preferParams", "preferReturn", "preferCount", "preferPost", "select", "on_conflict", "order"];
    for (const name of [...names, "range", "rangeUnit", "offset", "limit"]) assert.ok(parameters[name], name);
  });
});

describe("paths of functions", () => {
  const pathOf = (...overloads: FunctionEntry[]) =>
    describeSchema(catalogueOf([], overloads), OPTIONS).paths["/rpc/act"];
  const bodyOf = (...overloads: FunctionEntry[]) => {
    const [args] = pathOf(...overloads)?.post?.parameters ?? [];
    return args !== undefined && "schema" in args ? args.schema : undefined;
  };
  const numbers = [parameter("a", INTEGER), parameter("b", INTEGERS, { isRequired: false })];

  it("have no GET when they may write", () => {
    assert.deepEqual(Object.keys(pathOf(functionEntry("act")) ?? {}), ["post"]);
    assert.deepEqual(Object.keys(pathOf(functionEntry("act", { volatility: "stable" })) ?? {}), ["get", "post"]);
  });

  it("take arguments in the body and in the query", () => {
    const entry = functionEntry("act", { parameters: numbers, volatility: "immutable", comment: "Does it\nwell" });
    assert.deepEqual(bodyOf(entry), {
      description: "Does it\nwell",
      required: ["a"],
      properties: {
        a: { type: "integer", format: "int32" },
        b: { type: "array", format: "integer[]", items: { type: "integer" } },
      },
      type: "object",
    });
    assert.deepEqual(pathOf(entry)?.get?.parameters, [
      { name: "a", required: true, in: "query", type: "integer", format: "int32" },
      { name: "b", required: false, in: "query", type: "string", format: "integer[]" },
    ]);
    assert.deepEqual(pathOf(entry)?.get?.tags, ["(rpc) act"]);
  });

  it("repeat a variadic argument", () => {
    const parameters = [parameter("words", TEXTS, { isVariadic: true })];
    assert.deepEqual(
      pathOf(functionEntry("act", { parameters, hasVariadic: true, volatility: "stable" }))?.get?.parameters,
      [
        {
          name: "words",
          required: true,
          in: "query",
          type: "array",
          items: { type: "string", format: "text" },
          collectionFormat: "multi",
        },
      ],
    );
  });

  it("are one for all overloads", () => {
    const body = bodyOf(
      functionEntry("act", { parameters: [parameter("a", INTEGER)] }),
      functionEntry("act", { parameters: [parameter("a", INTEGER), parameter("c", TEXT)] }),
    );
    assert.partialDeepStrictEqual(body, { required: ["a"], properties: { a: {}, c: {} } });
  });

  it("accept any body where the function does", () => {
    const parameters = [parameter("", dataType("bytea", "bytea"))];
    const entry = functionEntry("act", { parameters, unnamedBody: "bytea" });
    assert.deepEqual(bodyOf(entry), {});
    assert.deepEqual(pathOf(entry)?.post?.consumes, ["application/json", "application/octet-stream"]);
  });
});
