import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeProviders, loadProviders } from "../../../src/agents/providers/load-providers.ts";
import { preferredFramework } from "../../../src/agents/providers/name-providers.ts";
import { type FoundProviders, NOTHING_FOUND } from "../../../src/agents/providers/resolve-providers.ts";
import { createProviderSetup } from "../../../src/agents/providers/provider-setup.ts";
import { unwrapKeys, wrapKey } from "../../../src/agents/providers/stored-keys.ts";
import { loadSettings } from "../../../src/config/index.ts";
import { isReachableByOthers } from "../../../src/webhooks/index.ts";

const KEY = "sk-test-0123456789";
const KEYS = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: "sk-ant-test-1", GEMINI_API_KEY: "AIza-test-2" };
const OLLAMA = { baseUrl: "http://127.0.0.1:11434/v1", models: ["llama3.2:latest", "qwen3:4b"] };

function load(env: Readonly<Record<string, string>>, found: FoundProviders = NOTHING_FOUND) {
  return loadProviders(loadSettings(env), env, null, found);
}

const kindsOf = (env: Readonly<Record<string, string>>, found?: FoundProviders) =>
  Object.values(load(env, found)).map(({ kind, state }) => (state === "ready" ? kind : state));

const NONE = ["simulated", "simulated", "simulated"];

describe("keys in the environment", () => {
  it("configure the frameworks of their vendors, and the others are not simulated", () => {
    assert.deepEqual(kindsOf(KEYS), ["openai", "anthropic", "google"]);
    assert.deepEqual(kindsOf({ ANTHROPIC_API_KEY: "sk-ant-1" }), ["unconfigured", "anthropic", "unconfigured"]);
    assert.equal(load(KEYS).provider_a.key(), KEY);
    assert.deepEqual(describeProviders(load({ OPENAI_API_KEY: KEY })).slice(0, 2), [
      "provider_a: openai, gpt-4.1-mini by default (key of OPENAI_API_KEY)",
      "provider_b: not configured, its agents cannot answer",
    ]);
  });

  it("count only where nothing is configured, on loopback, and not in production", () => {
    for (const others of [
      { PROVIDER_DETECTION: "false" },
      { HOST: "0.0.0.0" },
      { HOST: "example.com" },
      { PROVIDER_B_KIND: "simulated" },
    ])
      assert.deepEqual(kindsOf({ ...KEYS, ...others }), NONE, JSON.stringify(others));
    assert.deepEqual(kindsOf({ ...KEYS, NODE_ENV: "production" }), ["unconfigured", "unconfigured", "unconfigured"]);
    assert.deepEqual(kindsOf({ ...KEYS, PROVIDER_C_API_KEY: "other" }), ["unconfigured", "unconfigured", "google"]);
    for (const HOST of ["127.0.0.1", "::1", "localhost", "127.8.8.8"])
      assert.deepEqual(kindsOf({ ...KEYS, HOST }), ["openai", "anthropic", "google"], HOST);
  });

  it("that no vendor accepts are not used, and the banner says so without their value", () => {
    assert.equal(load({ OPENAI_API_KEY: `  ${KEY}\r\n` }).provider_a.key(), KEY);
    assert.deepEqual(kindsOf({ OPENAI_API_KEY: "  \n" }), NONE);
    for (const bad of [
      "sk-secret one",
      "sk-secret\none",
      "sk-secret\u0000",
      "sk-secretä",
      `sk-secret${"x".repeat(1000)}`,
    ]) {
      assert.deepEqual(kindsOf({ OPENAI_API_KEY: bad }), NONE);
      const [line = ""] = describeProviders(load({ OPENAI_API_KEY: bad }));
      assert.match(line, /SIMULATED.*; OPENAI_API_KEY is not used/);
      assert.doesNotMatch(line, /secret/);
    }
    const [line = ""] = describeProviders(load({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: "file:///etc" }));
    assert.match(line, /OPENAI_BASE_URL is no http address/);
  });

  it("are sent to the addresses that the vendors' programs use", () => {
    const urlOf = (env: Readonly<Record<string, string>>) =>
      Object.values(load({ ...KEYS, ...env })).map(({ baseUrl }) => baseUrl);
    assert.deepEqual(urlOf({}), [null, null, null]);
    const env = {
      OPENAI_BASE_URL: "https://proxy.example/v1/",
      ANTHROPIC_BASE_URL: "https://proxy.example",
      GOOGLE_GEMINI_BASE_URL: "http://127.0.0.1:9000/",
    };
    assert.deepEqual(urlOf(env), [
      "https://proxy.example/v1",
      "https://proxy.example/v1",
      "http://127.0.0.1:9000/v1beta",
    ]);
  });
});

it("new agents get the first framework that can answer", () => {
  assert.equal(preferredFramework(load({})), "provider_a");
  assert.equal(preferredFramework(load({ GEMINI_API_KEY: "AIza", ANTHROPIC_API_KEY: "sk-ant-1" })), "provider_b");
  assert.equal(preferredFramework(load({ NODE_ENV: "production" })), "provider_a");
});

it("an Ollama is provider_a if that is free", () => {
  const found = { ...NOTHING_FOUND, ollama: OLLAMA };
  assert.deepEqual(kindsOf({}, found), ["openai-compatible", "unconfigured", "unconfigured"]);
  assert.deepEqual(kindsOf({ GEMINI_API_KEY: "AIza" }, found), ["openai-compatible", "unconfigured", "google"]);
  assert.deepEqual(kindsOf({ OPENAI_API_KEY: KEY }, found), ["openai", "unconfigured", "unconfigured"]);
  assert.deepEqual(kindsOf({ PROVIDER_DETECTION: "false" }, found), NONE);
  const { provider_a: ollama } = load({}, found);
  assert.equal(ollama.offered.defaultModel, "llama3.2:latest");
  assert.deepEqual(
    ollama.offered.models.map(({ id }) => id),
    OLLAMA.models,
  );
});

describe("a stored key", () => {
  const masterKey = "m".repeat(43);
  const stored = { provider_b: "sk-ant-stored" } as const;

  it("counts instead of detected keys, and configured providers count instead of it", () => {
    const found = { stored, ollama: OLLAMA };
    assert.deepEqual(kindsOf(KEYS, found), ["unconfigured", "anthropic", "unconfigured"]);
    assert.equal(load(KEYS, found).provider_b.key(), "sk-ant-stored");
    assert.equal(load({ PROVIDER_B_API_KEY: "configured" }, found).provider_b.key(), "configured");
    assert.deepEqual(kindsOf({ PROVIDER_A_API_KEY: "a" }, found), ["openai", "anthropic", "unconfigured"]);
  });

  it("opens only with its master key, for its framework", () => {
    const wrapped = wrapKey(masterKey, "provider_b", stored.provider_b);
    assert.ok(!Buffer.from(wrapped, "base64").includes(stored.provider_b));
    assert.deepEqual(unwrapKeys(masterKey, { provider_b: wrapped }), stored);
    assert.throws(() => unwrapKeys("other".repeat(9), { provider_b: wrapped }), { name: "UnwrapError" });
    assert.throws(() => unwrapKeys(masterKey, { provider_a: wrapped }), { name: "UnwrapError" });
  });
});

it("only a service that nobody else reaches, and that has no provider, takes a key from a user", async () => {
  const open = (env: Readonly<Record<string, string>>, key: Readonly<Record<string, string>> = {}) =>
    createProviderSetup({
      isOpen: !isReachableByOthers(loadSettings(env)),
      current: () => load({ ...env, ...key }),
      test: () => assert.fail("the key was sent"),
      store: () => assert.fail("the key was stored"),
    });
  assert.ok(open({}).isAllowed());
  for (const setup of [
    open({ PUBLIC_URL: "https://app.example" }),
    open({ HOST: "0.0.0.0" }),
    open({ NODE_ENV: "production" }),
    open({}, { PROVIDER_A_API_KEY: "configured" }),
    open({}, { ANTHROPIC_API_KEY: "sk-ant-found" }),
  ]) {
    assert.ok(!setup.isAllowed());
    await assert.rejects(setup.add(KEY, null, AbortSignal.timeout(60_000)), { code: "FORBIDDEN" });
  }
});
