import fc from "fast-check";
import type { HostileRequest } from "./hostile-requests.ts";
import { anyText, encode } from "./hostile-texts.ts";

interface RequestShape {
  readonly columns: readonly string[];
  readonly embeds: readonly string[];
}

/** Existing names, so that only the values are hostile. */
const SHAPES: Readonly<Record<string, RequestShape>> = {
  agents: {
    columns: ["id", "user_id", "name", "role", "framework", "model", "settings", "status", "created_at"],
    embeds: ["agent_tools", "swarm_agents", "notes"],
  },
  agent_tools: {
    columns: ["id", "agent_id", "tool_id", "enabled", "configuration", "created_at"],
    embeds: ["agents", "tools", "tool"],
  },
  tools: {
    columns: ["id", "owner_id", "name", "description", "input_schema", "config", "visibility", "timeout_ms"],
    embeds: ["agent_tools"],
  },
  webhooks: {
    columns: ["id", "user_id", "name", "url", "secret", "events", "is_active", "headers", "retry_count", "disabled_at"],
    embeds: ["webhook_deliveries"],
  },
  webhook_deliveries: { columns: ["id", "webhook_id", "status", "payload", "attempts"], embeds: ["webhooks"] },
  swarms: { columns: ["id", "owner_id", "name", "status"], embeds: ["messages", "swarm_members"] },
  messages: { columns: ["id", "swarm_id", "seq", "content", "mentions", "metadata"], embeds: ["swarms"] },
  swarm_members: { columns: ["id", "swarm_id", "user_id", "role", "status"], embeds: ["swarms"] },
  models: { columns: ["framework", "id", "is_default", "position"], embeds: [] },
  notes: {
    columns: ["id", "user_id", "name", "settings", "made", "tags", "at", "number", "agent_id", "loud", '"q\\"uoted"'],
    embeds: ["agents"],
  },
  note_names: { columns: ["id", "name", "user_id"], embeds: ["agents"] },
};
const FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  echo: ["value"],
  add: ["a", "b"],
  many: ["n"],
  own_notes: [],
  pick: ["value", "wanted"],
  variadic_sum: ["values"],
};
const JSON_COLUMNS = /^(?:settings|made|config|configuration|input_schema|payload|metadata|headers)$/;
const OPERATORS = "eq gt gte lt lte neq like ilike match imatch isdistinct cs cd ov sl sr nxr nxl adj".split(" ");
const SEARCHES = ["fts", "plfts", "phfts", "wfts", "fts(english)", "wfts(nowhere)", "fts(hidden.trap)"];
const CASTS = ["text", "int", "numeric", "json", "uuid", "regclass", "bool", "timestamptz", "nowhere"];

const quoted = anyText.map((text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`);
const someText = fc.oneof(
  { weight: 2, arbitrary: anyText },
  {
    weight: 1,
    arbitrary: fc.constantFrom("1", "0", "a", "idle", "true", "{}", "{a}", "adas", "2020-01-01", "[1,2)", "{1}"),
  },
);

function fieldOf({ columns }: RequestShape): fc.Arbitrary<string> {
  return fc.constantFrom(...columns).chain((column) =>
    JSON_COLUMNS.test(column)
      ? fc
          .array(fc.tuple(fc.constantFrom("->", "->>"), fc.oneof(quoted, fc.constantFrom("a", "0", "-1"))), {
            maxLength: 3,
          })
          .map((steps) => column + steps.flat().join(""))
      : fc.constant(column),
  );
}

const operation = fc
  .tuple(
    fc.constantFrom("", "", "not."),
    fc.oneof(
      { weight: 4, arbitrary: fc.tuple(fc.constantFrom(...OPERATORS), someText).map((both) => both.join(".")) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(
            fc.constantFrom("eq", "like", "match", "gt"),
            fc.constantFrom("any", "all"),
            fc.array(quoted, { maxLength: 3 }),
          )
          .map(([operator, quantifier, all]) => `${operator}(${quantifier}).{${all.join(",")}}`),
      },
      { weight: 1, arbitrary: fc.array(quoted, { maxLength: 3 }).map((all) => `in.(${all.join(",")})`) },
      { weight: 1, arbitrary: fc.constantFrom("is.null", "is.not_null", "is.true", "is.unknown") },
      { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...SEARCHES), someText).map((both) => both.join(".")) },
    ),
  )
  .map((both) => both.join(""));

function selectOf(shape: RequestShape, depth = 0): fc.Arbitrary<string> {
  const column = fc
    .tuple(fc.constantFrom("", "", "x:"), fieldOf(shape), fc.option(fc.constantFrom(...CASTS), { nil: null, freq: 3 }))
    .map(([alias, field, cast]) => `${alias}${field}${cast === null ? "" : `::${cast}`}`);
  const parts: fc.Arbitrary<string>[] = [column, fc.constantFrom("*", "count()")];
  if (depth < 3 && shape.embeds.length > 0) {
    const embed = fc.constantFrom(...shape.embeds).chain((name) => {
      const inner = SHAPES[name] ?? SHAPES["tools"];
      return fc
        .tuple(
          fc.constantFrom("", "", "...", "y:"),
          fc.constantFrom("", "", "!inner", "!left"),
          inner === undefined ? fc.constant("*") : selectOf(inner, depth + 1),
        )
        .map(([before, join, select]) => `${before}${name}${join}(${select})`);
    });
    parts.push(embed);
  }
  return fc.array(fc.oneof(...parts), { minLength: 1, maxLength: 3 }).map((all) => all.join(","));
}

function searchOf(shape: RequestShape): fc.Arbitrary<string> {
  const field = fieldOf(shape);
  const filter = fc.tuple(field, operation);
  const leaf = fc.tuple(field, operation).map((both) => both.join("."));
  const branch = fc
    .tuple(fc.constantFrom("and", "or", "not.and"), fc.array(leaf, { maxLength: 3 }))
    .map(([word, parts]) => `${word}(${parts.join(",")})`);
  const logic = fc
    .tuple(fc.constantFrom("or", "and", "not.or"), fc.array(fc.oneof(leaf, branch), { minLength: 1, maxLength: 3 }))
    .map(([word, parts]) => [word, `(${parts.join(",")})`] as const);
  const order = fc
    .tuple(field, fc.constantFrom("", ".asc", ".desc.nullslast"))
    .map((parts) => ["order", parts.join("")] as const);
  const parameter = fc.oneof(
    { weight: 4, arbitrary: filter },
    { weight: 2, arbitrary: selectOf(shape).map((text) => ["select", text] as const) },
    { weight: 1, arbitrary: logic },
    { weight: 1, arbitrary: order },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom("limit", "offset"), fc.constantFrom("0", "1", "7")) },
  );
  return fc
    .array(parameter, { minLength: 1, maxLength: 3 })
    .map((all) => all.map(([key, value]) => `${encode(key)}=${encode(value)}`).join("&"));
}

const headers = fc.record(
  {
    prefer: fc
      .subarray([
        "return=representation",
        "count=exact",
        "resolution=merge-duplicates",
        "missing=default",
        "handling=lenient",
        "max-affected=100",
        "timezone=Europe/Vienna",
      ])
      .map((all) => all.join(", ")),
    accept: fc.constantFrom(
      "application/json",
      "application/vnd.pgrst.object+json",
      "application/vnd.pgrst.array+json;nulls=stripped",
      "text/csv",
    ),
    "x-odd": anyText,
  },
  { requiredKeys: [] },
);

const value = fc.oneof(
  someText,
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(1e21, -1, null, true, [], {}, ["agent.created"]),
);

function bodyOf({ columns }: RequestShape): fc.Arbitrary<string> {
  const named = columns.filter((column) => column !== "loud" && !column.startsWith('"'));
  const row = fc
    .subarray(named, { minLength: 1, maxLength: 3 })
    .chain((keys) =>
      fc.tuple(...keys.map(() => value)).map((values) => Object.fromEntries(keys.map((key, at) => [key, values[at]]))),
    );
  return fc.oneof(row, fc.array(row, { maxLength: 1 })).map((any) => JSON.stringify(any));
}

const tableRequest: fc.Arbitrary<HostileRequest> = fc.constantFrom(...Object.entries(SHAPES)).chain(([name, shape]) =>
  fc
    .record({
      method: fc.constantFrom("GET", "GET", "HEAD", "POST", "PATCH", "DELETE"),
      search: searchOf(shape),
      headers,
      body: bodyOf(shape),
    })
    .map(({ method, search, body, headers: sent }) =>
      method === "POST" || method === "PATCH"
        ? { line: `${method} /${name}?${search}`, headers: { ...sent, "content-type": "application/json" }, body }
        : { line: `${method} /${name}?${search}`, headers: sent },
    ),
);

const callRequest: fc.Arbitrary<HostileRequest> = fc.constantFrom(...Object.entries(FUNCTIONS)).chain(([name, names]) =>
  fc
    .record({ isPost: fc.boolean(), values: fc.tuple(...names.map(() => value)), headers })
    .map(({ isPost, values, headers: sent }) => {
      if (isPost) {
        const body = JSON.stringify(Object.fromEntries(names.map((key, at) => [key, values[at]])));
        return { line: `POST /rpc/${name}`, headers: { ...sent, "content-type": "application/json" }, body };
      }
      const written = names.map((key, at) => {
        const given = values[at];
        return `${key}=${encode(typeof given === "string" ? given : JSON.stringify(given))}`;
      });
      return { line: `GET /rpc/${name}?${written.join("&")}`, headers: sent };
    }),
);

/** Well-formed requests for existing objects, which reach the database. */
export const nearRequest: fc.Arbitrary<HostileRequest> = fc.oneof(
  { weight: 4, arbitrary: tableRequest },
  { weight: 1, arbitrary: callRequest },
);
