import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { AGENT_STATUSES, EVENT_TYPES, FRAMEWORKS } from "@swarmbase/sdk";
import { AppError, renderError } from "../../src/errors/index.ts";
import type { TableRules, WriteAttempt } from "../../src/rest/index.ts";
import { createTableRules } from "../../src/tables/index.ts";
import { measureJson } from "../../src/tables/fields/json-field.ts";
import { OWN_RELATIONS } from "../../src/tables/own-names.ts";
import { buildScope } from "../../src/db/index.ts";
import { createTestDatabase } from "../support/database.ts";
import { attempt, check, OTHER, USER } from "./support/attempts.ts";
import { ANY_CHARACTER } from "../support/any-character.ts";

const jsonValue = fc.jsonValue({ maxDepth: 3 });
const TABLES = [...OWN_RELATIONS];
const COLUMNS = [
  "id",
  "name",
  "user_id",
  "settings",
  "events",
  "url",
  "headers",
  "content",
  "secret",
  "model",
  "email",
];

/** Texts around a bound, with characters that are one thing to JavaScript and another to PostgreSQL. */
const textAround = (bound: number) =>
  fc
    .tuple(
      fc.constantFrom("a", "𝕏", "é", " ", "\u00a0", "\u180e", "\u200b", "\u0085", "\t"),
      fc.integer({ min: -2, max: 2 }),
    )
    .map(([character, more]) => character.repeat(Math.max(0, bound + more)));
const anyText = fc.oneof(
  fc.string({ unit: ANY_CHARACTER, maxLength: 5 }),
  fc.string({ maxLength: 5 }),
  fc.constant("\ud800"),
);
const near = (...values: number[]) =>
  fc.constantFrom(...values.flatMap((value) => [value - 0.5, value - 1, value, value + 1]));

const settings = fc.oneof(
  fc.record(
    {
      temperature: near(0, 2),
      max_tokens: fc.oneof(near(1), fc.constantFrom(1e15, 1e16, 2 ** 53 - 1, 2 ** 53)),
      presence_penalty: near(-2, 2),
      top_p: near(0, 1),
      stop: fc.oneof(fc.constant(null), fc.array(fc.string(), { maxLength: 18 })),
      other: jsonValue,
    },
    { requiredKeys: [] },
  ),
  fc.integer({ min: -3, max: 3 }).map((more) => ({ k: "é".repeat(10), l: "a".repeat(32_768 - 41 + more) })),
);

const AGENT = fc.record(
  {
    name: fc.oneof(textAround(100), textAround(1), anyText),
    role: fc.oneof(textAround(200), anyText, fc.constant(null)),
    avatar: fc.oneof(fc.webUrl(), anyText, fc.constantFrom("http://a", "https:///a", "HTTPS://a b", "https://\u00a0")),
    framework: fc.constantFrom(...FRAMEWORKS, "openai"),
    model: fc.oneof(textAround(200), fc.constant(null)),
    settings,
    status: fc.constantFrom(...AGENT_STATUSES),
  },
  { requiredKeys: ["name"] },
);

const HOOK = fc.record(
  {
    name: fc.oneof(textAround(100), anyText),
    url: fc.oneof(
      fc.webUrl(),
      fc.webUrl({ validSchemes: ["https"] }),
      fc.constant("https://a.example\u0085/"),
      anyText,
    ),
    events: fc.array(fc.constantFrom(...EVENT_TYPES, "*"), { maxLength: 4 }),
    headers: fc.dictionary(
      fc.oneof(fc.constantFrom("Host", "X-A", "webhook-id", "Content-Type", "ſ"), anyText),
      fc.oneof(anyText, textAround(4096)),
      { maxKeys: 3, noNullPrototype: true },
    ),
    retry_count: fc.oneof(near(0, 10).map(Math.floor), fc.integer()),
    timeout_ms: fc.oneof(near(1, 120_000).map(Math.floor), fc.integer()),
  },
  { requiredKeys: ["name", "url", "events"] },
);

describe("table rules with arbitrary bodies", () => {
  it("a body passes or is rejected with an AppError", () => {
    const row = fc.dictionary(fc.oneof(fc.constantFrom(...COLUMNS), anyText), fc.oneof(jsonValue, anyText), {
      maxKeys: 6,
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...TABLES),
        fc.constantFrom<WriteAttempt["operation"]>("insert", "upsert", "update", "delete"),
        fc.oneof(row, fc.array(row, { maxLength: 3 })),
        fc.record({
          source: fc.constantFrom<WriteAttempt["source"]>("json", "csv", "form"),
          pinnedId: fc.constantFrom(null, USER, "x"),
          principal: fc.constantFrom<WriteAttempt["principal"]>(
            { role: "authenticated", userId: OTHER },
            { role: "service_role", userId: null },
          ),
        }),
        (table, operation, body, more) => {
          const written = attempt(table, operation, body, more);
          const found = check(written);
          if (found === null) return;
          if (!(found instanceof AppError)) {
            assert.equal(found.rows.length, written.rows.length);
            return;
          }
          assert.ok(found.status === 400, found.message);
          assert.ok(Object.keys(found.extra.details ?? {}).length > 0);
          const { status, body: text } = renderError(found);
          assert.equal(status, 400);
          assert.ok(typeof JSON.parse(text) === "object");
        },
      ),
      { numRuns: 2000 },
    );
  });

  describe("table rules compared with the database", () => {
    const closers: (() => Promise<void>)[] = [];
    let client: pg.Client;
    let rules: TableRules;
    let user: string;
    before(async () => {
      const database = await createTestDatabase({ after: (close) => closers.push(close) });
      const pool = new pg.Pool({ connectionString: database.url("sb_service"), max: 1 });
      pool.on("error", () => {});
      rules = createTableRules({ pool });
      const { rows } = await pool.query<{ id: string }>(
        "insert into auth.users (email) values ('a@example.com') returning id",
      );
      user = rows[0]?.id ?? "";
      client = new pg.Client({ connectionString: database.url("sb_user") });
      client.on("error", () => {});
      await client.connect();
      closers.unshift(
        () => client.end(),
        () => pool.end(),
      );
    });
    after(async () => {
      for (const close of closers) await close();
    });

    /** As the engine writes it, and taken back. */
    async function store(table: string, row: Record<string, unknown>): Promise<pg.DatabaseError | null> {
      const { text, values } = buildScope({
        role: "authenticated",
        claims: { sub: user, role: "authenticated" },
        schemas: ["public"],
        statementTimeoutMs: 20_000,
        isReadOnly: false,
        request: { method: "POST", path: "/", headers: {} },
      });
      const columns = Object.keys(row).join(", ");
      await client.query("begin");
      try {
        await client.query(text, [...values]);
        await client.query(
          `insert into ${table} (${columns}) select ${columns} from json_populate_record(null::${table}, $1::json)`,
          [JSON.stringify(row)],
        );
        return null;
      } catch (error) {
        if (error instanceof pg.DatabaseError) return error;
        throw error;
      } finally {
        await client.query("rollback");
      }
    }

    for (const [table, rows] of [
      ["agents", AGENT],
      ["webhooks", HOOK],
    ] as const) {
      it(`${table}: both agree on every row, and what only the database rejects has its name`, async () => {
        await fc.assert(
          fc.asyncProperty(rows, async (row) => {
            const written = attempt(table, "insert", row, { principal: { role: "authenticated", userId: user } });
            const found = check(written, rules);
            const rejected = await store(table, row);
            if (rejected !== null && found === null) {
              const explained = await rules.explainRejection(rejected, written, null);
              assert.ok(explained !== null && explained.status === 400, `${rejected.code} ${rejected.message}`);
            }
            // What is stricter here: parts of a URL, and headers that the sender could not send.
            const isStricter =
              found instanceof AppError && /^(url|headers)/.test(Object.keys(found.extra.details ?? {}).join());
            if (rejected === null && !isStricter)
              assert.equal(found, null, found instanceof AppError ? found.message : "rewritten");
          }),
          { numRuns: 300 },
        );
      });
    }

    it("measures JSON as the database does", async () => {
      await fc.assert(
        fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (value) => {
          const plain = JSON.parse(JSON.stringify(value).replaceAll(/[eE][+-]?\d+/g, "")) as Parameters<
            typeof measureJson
          >[0];
          const { rows } = await client.query<{ bytes: number }>("select octet_length($1::jsonb::text) as bytes", [
            JSON.stringify(plain),
          ]);
          assert.equal(measureJson(plain), rows[0]?.bytes, JSON.stringify(plain));
        }),
        { numRuns: 200 },
      );
    });
  });
});
