import type { Step } from "./parity-cases.ts";

/** The objects of these cases, beside those of `CASE_OBJECTS`. */
export const CHANGE_OBJECTS = `
create domain shop.words as tsvector;
create domain shop.positive as int check (value > 0);
create domain shop.small_positive as shop.positive check (value < 100);
create table shop.pages (id int primary key, words shop.words, rank shop.small_positive, tiny smallint, big bigint);
insert into shop.pages values (1, to_tsvector('cats and dogs'), 5, 1, 1), (2, to_tsvector('birds'), 6, 2, 2);
create table shop.places (id int primary key, name text);
create table shop.visits (id int primary key, place_id int references shop.places, kind text);
insert into shop.places values (1, 'Lake'), (2, 'Hill');
insert into shop.visits values (1, 1, 'work'), (2, 1, 'leisure'), (3, 2, 'work');
create function shop.named_document(data json) returns json language sql immutable as 'select data';
create schema "Mixed";
grant usage on schema "Mixed" to anon, authenticated, service_role;
create table "Mixed"."Boxes" (id int primary key);
grant select on "Mixed"."Boxes" to anon, authenticated, service_role;
`;

const REPRESENTATION = { prefer: "return=representation" };
const WARNING =
  "299 swarmbase \"An embed with an alias was called by its relation. Change 'visits' to 'first' in filters, orders and limits.\"";

/** What has changed in PostgREST from version 13 to 16.5, by title. */
export const CHANGES: Readonly<Record<string, readonly Step[]>> = {
  "where a table is embedded with and without an alias, its name means the one without": [
    [
      "GET /places?id=eq.1&select=visits(id),work:visits(id)&work.kind=eq.work&visits.kind=eq.leisure",
      null,
      200,
      [{ visits: [{ id: 2 }], work: [{ id: 1 }] }],
      { warning: null },
    ],
    [
      "GET /places?id=eq.1&select=work:visits(id),visits(id)&visits.kind=eq.leisure&work.order=id",
      null,
      200,
      [{ work: [{ id: 1 }, { id: 2 }], visits: [{ id: 2 }] }],
      { warning: null },
    ],
  ],
  "where a table is embedded with aliases only, its name means the first, with a warning": [
    [
      "GET /places?id=eq.1&select=first:visits(id),second:visits(id)&visits.kind=eq.work&second.order=id",
      null,
      200,
      [{ first: [{ id: 1 }], second: [{ id: 1 }, { id: 2 }] }],
      { warning: WARNING },
    ],
    [
      "PATCH /places?id=eq.1&select=first:visits(id)&visits.kind=eq.work",
      { headers: REPRESENTATION, body: { name: "Lake" } },
      200,
      [{ first: [{ id: 1 }] }],
      { warning: WARNING },
    ],
  ],
  "an alias that is the name of another table is the alias": [
    ["GET /visits?id=eq.3&select=visits:places(name)&visits.name=eq.Hill", null, 200, [{ visits: { name: "Hill" } }]],
  ],
  "written rows are ordered": [
    [
      "POST /places?select=id&order=id.desc",
      { headers: REPRESENTATION, body: [{ id: 10 }, { id: 11 }] },
      201,
      [{ id: 11 }, { id: 10 }],
    ],
    [
      "PATCH /places?id=gte.10&select=id&order=id.desc",
      { headers: REPRESENTATION, body: { name: "x" } },
      200,
      [{ id: 11 }, { id: 10 }],
    ],
    ["DELETE /places?id=gte.10&select=id&order=id.desc", { headers: REPRESENTATION }, 200, [{ id: 11 }, { id: 10 }]],
  ],
  "written rows are not filtered again by a logic tree": [
    [
      "PATCH /visits?or=(kind.eq.work,kind.is.null)&select=id&order=id",
      { headers: REPRESENTATION, body: { kind: "rest" } },
      200,
      [{ id: 1 }, { id: 3 }],
    ],
    ["PATCH /visits?kind=eq.rest", { body: { kind: "work" } }, 204],
  ],
  "rows of a function are filtered by columns that are not selected": [
    ["GET /rpc/all_movies?select=id&title=eq.Seas", null, 200, [{ id: 3 }]],
  ],
  "params=single-object is not a preference": [
    ["POST /rpc/named_document", { headers: { prefer: "params=single-object" }, body: { a: 1 } }, 404],
    [
      "POST /rpc/named_document",
      { headers: { prefer: "params=single-object, handling=strict" }, body: { a: 1 } },
      400,
      { code: "PGRST122" },
    ],
  ],
  "a single parameter with a name does not take the body": [
    ["POST /rpc/named_document", { body: { a: 1 } }, 404, { code: "PGRST202" }],
    ["POST /rpc/named_document", { body: { data: { a: 1 } } }, 200, { a: 1 }],
  ],
  "a domain over tsvector is searched as it is": [
    ["GET /pages?select=id&words=fts(english).cat", null, 200, [{ id: 1 }]],
  ],
  "nulls are ordered within a limit": [
    [
      "GET /movies?select=director_id&order=director_id.desc.nullslast&limit=2",
      null,
      200,
      [{ director_id: 2 }, { director_id: 1 }],
    ],
    [
      "GET /movies?select=director_id&order=director_id.asc.nullsfirst&limit=2",
      null,
      200,
      [{ director_id: null }, { director_id: 1 }],
    ],
  ],
  "a spread without columns adds nothing": [
    ["GET /movies?select=id,...directors()&id=eq.1", null, 200, [{ id: 1 }]],
    ["GET /directors?select=id,...movies()&id=eq.1", null, 200, [{ id: 1 }]],
  ],
  "a schema that is not exposed is named in the message, and the exposed ones in the hint": [
    [
      "GET /movies",
      { headers: { "accept-profile": "secret" } },
      406,
      {
        code: "PGRST106",
        message: "Invalid schema: secret",
        details: null,
        hint: "Only the following schemas are exposed: shop, Mixed",
      },
    ],
  ],
  "the error of a range beyond the end is whole, with a count": [
    [
      "GET /items?offset=100",
      { headers: { prefer: "count=exact" } },
      416,
      {
        code: "PGRST103",
        message: "Requested range not satisfiable",
        details: "An offset of 100 was requested, but there are only 4 rows.",
        hint: null,
      },
      { "content-range": "*/4" },
    ],
  ],
  "responses have Content-Length and Vary, also without a body": [
    ["GET /items?select=id&id=eq.1", null, 200, [{ id: 1 }], { "content-length": "10", vary: "Accept, Prefer, Range" }],
    ["POST /places", { body: { id: 20 } }, 201, "", { "content-length": "0" }],
    ["DELETE /places?id=eq.20", null, 204, "", { vary: "Accept, Prefer, Range" }],
    ["GET /", null, 200, undefined, { vary: "Accept, Prefer, Range, Accept-Encoding" }],
  ],
  "errors have Proxy-Status": [
    ["GET /nothing", null, 404, { code: "PGRST205" }, { "proxy-status": "swarmbase; error=PGRST205" }],
  ],
  "names far from the requested one are not suggested": [
    ["GET /movie", null, 404, { code: "PGRST205", hint: "Perhaps you meant the table 'shop.movies'" }],
    ["GET /mov", null, 404, { code: "PGRST205", hint: null }],
    ["GET /rpc/all", null, 404, { code: "PGRST202", hint: null }],
  ],
  "the OpenAPI document has formats of OpenAPI for integers, and the base type of a domain over a domain": [
    [
      "GET /",
      null,
      200,
      {
        definitions: {
          pages: {
            properties: {
              id: { type: "integer", format: "int32" },
              tiny: { type: "integer", format: "int32" },
              big: { type: "integer", format: "int64" },
              rank: { type: "integer", format: "int32" },
            },
          },
        },
      },
    ],
  ],
  "the root describes a schema with a name in mixed case": [
    [
      "GET /",
      { headers: { "accept-profile": "Mixed" } },
      200,
      { definitions: { Boxes: { required: ["id"] } }, paths: { "/Boxes": {} } },
    ],
    ["GET /Boxes", { headers: { "accept-profile": "Mixed" } }, 200, []],
  ],
};
