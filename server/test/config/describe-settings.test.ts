import assert from "node:assert/strict";
import { test } from "node:test";
import {
  describeSettings,
  type ExtensionSettingRow,
  loadSettings,
  maskUrls,
  SETTINGS,
} from "../../src/config/index.ts";

const MARKER = "planted0secret";

/** A value that the kind of the row accepts, with the marker where credentials can be. */
function plant({ name, kind }: ExtensionSettingRow): string | null {
  switch (kind) {
    case "key":
      return `${name}-${MARKER.repeat(3)}`;
    case "postgres-url":
      return `postgresql://ada:${MARKER}@a.example.com:5432,b.example.com/db?target_session_attrs=read-write`;
    case "hook-uri":
      return `https://example.com/${MARKER}${MARKER}?key=${MARKER}`;
    case "hook-secrets":
      return `v1,whsec_${MARKER.repeat(3)}`;
    case "smtp-url":
      return `smtps://ada:${MARKER}@mail.example.com`;
    case "redis-url":
      return `rediss://:${MARKER}@cache.example.com/1`;
    case "http-url":
      return `https://${MARKER}:${MARKER}@example.com/v1/${MARKER}${MARKER}?key=${MARKER}#${MARKER}`;
    case "url-patterns":
      return `https://ada:${MARKER}@*.example.com/**`;
    default:
      return null;
  }
}

/** Of keys, only those that are secret: the name of a model is a key by its characters. */
const PLANTED = SETTINGS.filter(({ kind, secret }) => kind !== "key" || secret === true).flatMap((row) => {
  const value = plant(row);
  return value === null ? [] : [[row.name, value] as const];
});

test("shows every setting of the core, and no credential that one of them has", () => {
  const env = Object.fromEntries(PLANTED);
  assert.ok(SETTINGS.filter(({ secret }) => secret).every(({ name }) => env[name] !== undefined));
  const shown = describeSettings(loadSettings(env, "/srv"), env, []);
  assert.deepEqual(
    shown.map(({ name }) => name),
    SETTINGS.map(({ name }) => name),
  );
  assert.ok(!JSON.stringify(shown).includes(MARKER));
  for (const { name, is_secret: isSecret, is_set: isSet, value } of shown) {
    assert.equal(isSet, env[name] !== undefined, name);
    if (isSecret) assert.equal(value, null, name);
  }
});

test("tells values that were set from defaults", () => {
  const env = { LIMIT_API: "7", DATA_DIR: "here", ROLES: "api,worker", SITE_URL: "" };
  const shown = new Map(describeSettings(loadSettings(env, "/srv"), env, []).map((row) => [row.name, row]));
  const read = (name: string) => [shown.get(name)?.is_set, shown.get(name)?.value];
  assert.deepEqual(read("LIMIT_API"), [true, "7"]);
  assert.deepEqual(read("DATA_DIR"), [true, "/srv/here"]);
  assert.deepEqual(read("ROLES"), [true, "api, worker"]);
  assert.deepEqual(read("SITE_URL"), [false, null]);
  assert.deepEqual(read("PORT"), [false, "8443"]);
});

test("shows the settings of extensions and the variables of standards by the same rules", () => {
  const extension = {
    name: "notes",
    settings: [
      { name: "NOTES_TOKEN", kind: "key", minLength: 1, default: null, secret: true, description: "x" },
      { name: "NOTES_URL", kind: "http-url", default: null, secret: false, description: "x" },
    ] as const,
    standardVariables: [
      { name: "OTEL_A", accepts: "`text`", default: null, description: "x", secret: true },
      { name: "OTEL_B", accepts: "an address", default: "`http://localhost`", description: "x" },
      { name: "OTEL_C", accepts: "an address", default: "`http://localhost`", description: "x" },
    ],
    values: { NOTES_TOKEN: MARKER, NOTES_URL: `https://${MARKER}@example.com/` },
  };
  const env = { ...extension.values, OTEL_A: MARKER, OTEL_B: `https://example.com/?k=${MARKER}` };
  const shown = describeSettings(loadSettings({}), env, [extension]).filter((row) => row.is_of_extension);
  assert.deepEqual(
    shown.map(({ name, group, is_set, value }) => [name, group, is_set, value]),
    [
      ["NOTES_TOKEN", "notes", true, null],
      ["NOTES_URL", "notes", true, "https://***@example.com/"],
      ["OTEL_A", "notes", true, null],
      ["OTEL_B", "notes", true, "https://example.com/?k=***"],
      ["OTEL_C", "notes", false, "http://localhost"],
    ],
  );
});

test("masks what can be a credential in a URL, wherever it is in a text", () => {
  const cases = [
    ["https://example.com/a/b", "https://example.com/a/b"],
    ["see https://u:p@example.com:8443/x, now", "see https://***@example.com:8443/x, now"],
    ["https://u:p@q@example.com", "https://***@example.com"],
    ["https://example.com?a=1&b&c=x=y", "https://example.com?a=***&***&c=***"],
    ["https://example.com/#secret", "https://example.com/#***"],
    ["https://chat.example.com/services/T0/XXXXXXXXXXXXXXXXXXXXXXX1", "https://chat.example.com/services/T0/***"],
    ["https://example.com/customer-notification-receiver", "https://example.com/customer-notification-receiver"],
    [
      "https://example.com/0197a000-0000-7000-8000-000000000001",
      "https://example.com/0197a000-0000-7000-8000-000000000001",
    ],
    ["https://example.com/{city}?key={{k}}&id=s'3<c>|r", "https://example.com/{city}?key=***&id=***"],
    ["https://example.com/a b?q=two words&key=secret", "https://example.com/a b?q=***&key=***"],
    ["https://a.example.com and https://u:p@b.example.com", "https://a.example.com and https://***@b.example.com"],
    ["https:/u:p@example.com", "https:/***@example.com"],
    ["https:///u:p@example.com/x", "https:///***@example.com/x"],
    ["https:\\\\u:p@example.com", "https:\\\\***@example.com"],
    ["no URL, a:b@c", "no URL, a:b@c"],
  ];
  for (const [text = "", masked] of cases) assert.equal(maskUrls(text), masked);
});

test("accepts no address whose credentials would not be masked", () => {
  for (const address of ["https:u:p@example.com", "https:/u:p@example.com", "https:///u:p@example.com"])
    assert.throws(() => loadSettings({ SITE_URL: address }), /SITE_URL/, address);
});
