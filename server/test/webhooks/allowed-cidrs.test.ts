import assert from "node:assert/strict";
import { test } from "node:test";
import { loadSettings } from "../../src/config/index.ts";
import { decideAllowedCidrs } from "../../src/webhooks/index.ts";

const LOOPBACK = ["127.0.0.0/8", "::1/128"];
const PROXY = { TLS_MODE: "proxy", TRUSTED_PROXIES: "127.0.0.1" };

for (const [env, expected] of [
  [{}, LOOPBACK],
  [{ HOST: "127.8.0.1", NODE_ENV: "test" }, LOOPBACK],
  [{ HOST: "::1" }, LOOPBACK],
  [{ HOST: "localhost" }, LOOPBACK],
  [{ PUBLIC_URL: "https://localhost:9443" }, LOOPBACK],
  [{ PUBLIC_URL: "HTTPS://LOCALHOST/base" }, LOOPBACK],
  [{ PUBLIC_URL: "https://127.0.0.1" }, LOOPBACK],
  [{ PUBLIC_URL: "https://2130706433" }, LOOPBACK],
  [{ PUBLIC_URL: "https://[::1]:8443" }, LOOPBACK],
  [{ NODE_ENV: "production" }, []],
  [{ HOST: "0.0.0.0" }, []],
  [{ HOST: "::" }, []],
  [{ HOST: "10.0.0.5" }, []],
  [{ HOST: "localhost.example.test" }, []],
  [PROXY, []],
  [{ ...PROXY, HOST: "127.0.0.1", PUBLIC_URL: "https://localhost" }, []],
  [{ PUBLIC_URL: "https://api.example.com" }, []],
  [{ PUBLIC_URL: "https://10.0.0.5" }, []],
  [{ PUBLIC_URL: "https://127.0.0.1.example.com" }, []],
  [{ PUBLIC_URL: "https://localhost.example.com" }, []],
  [{ HOST: "0.0.0.0", NODE_ENV: "production", WEBHOOK_ALLOWED_CIDRS: "10.0.0.0/8" }, ["10.0.0.0/8"]],
  [{ ...PROXY, WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8" }, ["127.0.0.0/8"]],
  [{ WEBHOOK_ALLOWED_CIDRS: "10.0.0.0/8" }, ["10.0.0.0/8"]],
] as const)
  test(`addresses allowed with ${JSON.stringify(env)}: ${expected.join() || "none"}`, () =>
    assert.deepEqual(decideAllowedCidrs(loadSettings(env)), expected));
