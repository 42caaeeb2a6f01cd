import fc from "fast-check";
import { hostileHeaders } from "./hostile-headers.ts";
import { anyText, encode } from "./hostile-texts.ts";
import type { AskOptions } from "./rest-stage.ts";

export interface HostileRequest extends Pick<AskOptions, "headers" | "body"> {
  readonly line: string;
}

const COLUMNS = ["id", "user_id", "name", "status", "settings", "tags", "at", "number", "made", "loud"];
const RELATIONS = [
  "agents",
  "agent_tools",
  "tools",
  "webhooks",
  "webhook_deliveries",
  "swarms",
  "swarm_members",
  "messages",
  "profiles",
  "user_settings",
  "models",
  "agent_cards",
  "notes",
  "note_names",
];
const FUNCTIONS = ["echo", "add", "many", "own_notes", "whole", "pick", "variadic_sum", "loud", "tool"];
const OPERATORS =
  "eq gt gte lt lte neq like ilike match imatch in is isdistinct fts plfts phfts wfts cs cd ov sl sr nxr nxl adj".split(
    " ",
  );
const CASTS = [
  "text",
  "int",
  "numeric",
  "json",
  "jsonb",
  "uuid",
  "regclass",
  "double precision",
  "xml",
  "money",
  "oid",
];
const ARGUMENTS = ["a", "b", "value", "values", "n", "wanted", "p_id", "__proto__", "assignment"];

const quoted = anyText.map((text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`);
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...COLUMNS, ...RELATIONS, "tool", "loud") },
  { weight: 1, arbitrary: quoted },
  { weight: 1, arbitrary: anyText },
);
const step = fc.oneof(fc.constantFrom("a", "0", "-1", "b c"), quoted, anyText);
const field = fc.oneof(
  { weight: 4, arbitrary: name },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom("settings", "made", "tags", "name"),
        fc.array(step, { maxLength: 3 }),
        fc.constantFrom("->", "->>"),
      )
      .map(([column, steps, arrow]) => [column, ...steps].join(arrow)),
  },
);
const cast = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...CASTS) }, { weight: 1, arbitrary: anyText });
const aggregate = fc.constantFrom("", "", "", ".sum()", ".avg()", ".max()", ".min()", ".count()");

const { items } = fc.letrec<{ item: string; items: string }>((tie) => ({
  items: fc.array(tie("item"), { maxLength: 4 }).map((all) => all.join(",")),
  item: fc.oneof(
    { maxDepth: 3, depthIdentifier: "embed" },
    fc
      .tuple(fc.constantFrom("", "", "x:", '"y z":', ":"), field, fc.option(cast, { nil: null, freq: 3 }), aggregate)
      .map(([alias, column, type, summed]) => `${alias}${column}${type === null ? "" : `::${type}`}${summed}`),
    fc.constantFrom("*", "count()", "n:count()", "", "*,*"),
    fc
      .tuple(
        fc.constantFrom("", "", "x:", "...", "y:"),
        name,
        fc.constantFrom(
          "",
          "",
          "!inner",
          "!left",
          "!agent_id",
          "!agent_tools_agent_id_fkey",
          "!user_id!inner",
          "!",
          "!!",
        ),
        tie("items"),
      )
      .map(([before, relation, hint, inner]) => `${before}${relation}${hint}(${inner})`),
  ),
}));

const operation = fc.oneof(
  fc
    .tuple(
      fc.constantFrom("", "", "not."),
      fc.constantFrom(...OPERATORS),
      fc.constantFrom("", "", "(any)", "(all)", "(english)", "(x"),
      fc.oneof(
        anyText,
        fc.array(fc.oneof(anyText, quoted), { maxLength: 3 }).map((all) => `(${all.join(",")})`),
        fc.array(anyText, { maxLength: 3 }).map((all) => `{${all.join(",")}}`),
      ),
    )
    .map(([not, operator, more, value]) => `${not}${operator}${more}.${value}`),
  anyText,
);

const { logic } = fc.letrec<{ logic: string; part: string }>((tie) => ({
  logic: fc.array(tie("part"), { maxLength: 4 }).map((parts) => `(${parts.join(",")})`),
  part: fc.oneof(
    { maxDepth: 4 },
    fc.tuple(field, operation).map(([column, asked]) => `${column}.${asked}`),
    fc.tuple(fc.constantFrom("and", "or", "not.and", "not.or", ""), tie("logic")).map((both) => both.join("")),
  ),
}));

const order = fc
  .array(
    fc
      .tuple(field, fc.constantFrom("", ".asc", ".desc", ".x"), fc.constantFrom("", ".nullsfirst", ".nullslast"))
      .map((parts) => parts.join("")),
    { maxLength: 3 },
  )
  .map((terms) => terms.join(","));
const size = fc.oneof(fc.constantFrom("0", "1", "5", "-1", "1e9", "99999999999999999999"), anyText);
const embedded = fc.constantFrom("", "", "tool.", "tools.", "agent_tools.", "agent_tools.tool.", "notes.", "x.");

const parameter = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(embedded, field, operation).map(([at, column, asked]) => [at + column, asked]) },
  { weight: 3, arbitrary: items.map((text) => ["select", text]) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(embedded, fc.constantFrom("and", "or", "not.or"), logic)
      .map(([at, word, text]) => [at + word, text]),
  },
  { weight: 1, arbitrary: fc.tuple(embedded, order).map(([at, text]) => [`${at}order`, text]) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(embedded, fc.constantFrom("limit", "offset"), size)
      .map(([at, word, text]) => [at + word, text]),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom("columns", "on_conflict"), fc.array(name, { maxLength: 3 }))
      .map(([word, names]) => [word, names.join(",")]),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...ARGUMENTS), anyText) },
  { weight: 1, arbitrary: fc.tuple(anyText, anyText) },
);

const rawParameter = fc.oneof(
  { weight: 6, arbitrary: parameter.map(([key = "", value = ""]) => `${encode(key)}=${encode(value)}`) },
  // As hasty clients send them; a blank or a hash sign could not be part of a request line.
  {
    weight: 2,
    arbitrary: parameter.map(([key = "", value = ""]) => `${key}=${value}`.toWellFormed().replace(/[\s#\0]/g, "")),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "id=eq.%ED%A0%80",
      "id=eq.%00",
      "%00=eq.1",
      "name=eq.%ff",
      "%",
      "=",
      "&&",
      "a",
      "name=%e2%82",
    ),
  },
);
const search = fc.array(rawParameter, { maxLength: 5 }).map((all) => (all.length === 0 ? "" : `?${all.join("&")}`));

const path = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...RELATIONS).map((relation) => `/${relation}`) },
  { weight: 4, arbitrary: fc.constantFrom(...FUNCTIONS).map((called) => `/rpc/${called}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "/",
      "/rpc",
      "/rpc/",
      "/agents/",
      "/agents/1",
      "//agents",
      "/rpc/a/b",
      "/pg_class",
      "/hidden.trap",
    ),
  },
  { weight: 1, arbitrary: anyText.map((text) => `/${encode(text)}`) },
);

const METHODS = ["GET", "GET", "GET", "GET", "HEAD", "POST", "POST", "PATCH", "PATCH", "DELETE", "PUT", "OPTIONS"];

const value = fc.oneof(
  anyText,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(1e21, -1, 0.5, null, true, [], {}, ["a"]),
);
const row = fc.dictionary(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom(...COLUMNS, ...ARGUMENTS, "url", "events", "enabled", "agent_id", "tool_id"),
    },
    { weight: 1, arbitrary: anyText },
  ),
  value,
  { maxKeys: 5 },
);
const jsonBody = fc.oneof(
  { weight: 4, arbitrary: row.map((one) => JSON.stringify(one)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(row, fc.integer({ min: 0, max: 3 }))
      .map(([one, times]) => JSON.stringify(Array.from({ length: times }, () => one))),
  },
  { weight: 1, arbitrary: fc.array(row, { maxLength: 3 }).map((rows) => JSON.stringify(rows)) },
  { weight: 1, arbitrary: fc.jsonValue().map((any) => JSON.stringify(any)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      "{",
      "nul",
      "[[]]",
      '{"name":"\\u0000"}',
      '{"name":"\\ud800"}',
      '{"name":1e400}',
      '{"a":1,"a":2}',
      "\ufeff{}",
      '{"__proto__":{"name":"x"}}',
    ),
  },
);
const body = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant("application/json"), jsonBody) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant("text/csv"),
      fc.array(anyText, { maxLength: 6 }).map((all) => `name,id\n${all.join(",")}\n${all.join("\n")}`),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant("application/x-www-form-urlencoded"),
      search.map((text) => text.slice(1)),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom("text/plain", "application/octet-stream", "text/xml", "application/json; charset=x", "x"),
      anyText,
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom("application/json", "text/csv", "text/plain", "application/x-www-form-urlencoded"),
      fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
    ),
  },
);

/** Requests as no client of good will sends them; most are rejected for their form, each at another place. */
export const wildRequest: fc.Arbitrary<HostileRequest> = fc
  .record({
    method: fc.constantFrom(...METHODS),
    path,
    search,
    headers: hostileHeaders,
    body: fc.option(body, { nil: null, freq: 8 }),
  })
  .map(({ method, path: at, search: asked, headers: sent, body: content }) => {
    const hasBody = content !== null && method !== "GET" && method !== "HEAD";
    return {
      line: `${method} ${at}${asked}`,
      headers: { ...sent, ...(hasBody && { "content-type": content[0] }) },
      ...(hasBody && { body: content[1] }),
    };
  });
