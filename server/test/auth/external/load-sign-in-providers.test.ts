import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { loadSignInProviders } from "../../../src/sign-in-providers/index.ts";
import { type Environment, loadSettings, SettingsError } from "../../../src/config/index.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

async function load(t: TestContext, file: unknown, environment: Environment = {}) {
  const folder = await createTemporaryFolder(t, "swarmbase-sign-in-");
  const path = join(folder, "providers.json");
  if (file !== undefined) await writeFile(path, typeof file === "string" ? file : JSON.stringify(file));
  const settings = loadSettings(file === undefined ? {} : { AUTH_PROVIDERS_FILE: path });
  return loadSignInProviders(settings, environment);
}

async function faultsOf(t: TestContext, file: unknown, environment: Environment = {}): Promise<readonly string[]> {
  try {
    await load(t, file, environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}

describe("the providers of sign-ins", () => {
  it("come from the file and from variables, which complete it", async (t) => {
    const file = {
      okta: { issuer: "https://okta.example.com/app/", client_id: "id", label: "Okta", audiences: ["ios"] },
    };
    const environment = {
      AUTH_OKTA_CLIENT_SECRET: "s",
      AUTH_GOOGLE_CLIENT_ID: "g",
      AUTH_GOOGLE_ISSUER: "https://accounts.google.com/",
    };
    const [okta, google, ...others] = await load(t, file, environment);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [okta?.name, okta?.label, okta?.issuer, okta?.audiences, okta?.secret],
      ["okta", "Okta", "https://okta.example.com/app/", ["id", "ios"], { kind: "shared", text: "s" }],
    );
    assert.deepEqual(
      [google?.name, google?.label, google?.issuer, google?.secret],
      ["google", "Google", "https://accounts.google.com", { kind: "none" }],
    );
    assert.deepEqual(await load(t, undefined), []);
  });

  it("accept the key of Apple in one line", async (t) => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const apple = { AUTH_APPLE_CLIENT_ID: "c", AUTH_APPLE_TEAM_ID: "t", AUTH_APPLE_KEY_ID: "k" };
    const [provider] = await load(t, undefined, { ...apple, AUTH_APPLE_PRIVATE_KEY: pem.replaceAll("\n", "\\n") });
    assert.deepEqual(provider?.secret, { kind: "apple", teamId: "t", keyId: "k", privateKey: pem });
    assert.equal((await faultsOf(t, undefined, { ...apple, AUTH_APPLE_PRIVATE_KEY: "KEY-CANARY" })).length, 1);
  });

  it("report all faults together, without values", async (t) => {
    const file = {
      okta: { client_id: "SECRET-CANARY WITH SPACE", issuer: "http://okta.example.com", unknown: "SECRET-CANARY" },
      email: { client_id: "x" },
      "Bad Name": {},
      github: { client_id: "x" },
      list: [],
    };
    const faults = await faultsOf(t, file, { AUTH_CORP_CLIENT_SECRET: "SECRET-CANARY" });
    const wanted = [
      /list must be an object/,
      /okta: client_id must be/,
      /okta: issuer must be an https/,
      /okta: has unknown members/,
      /email: the name/,
      /Bad Name: the name/,
      /github: client_secret is missing \(AUTH_GITHUB_CLIENT_SECRET\)/,
      /corp: client_id is missing/,
      /corp: issuer is missing \(AUTH_CORP_ISSUER\)/,
    ];
    for (const pattern of wanted)
      assert.ok(
        faults.some((fault) => pattern.test(fault)),
        `${pattern} in ${faults.join()}`,
      );
    assert.equal(faults.length, wanted.length);
    assert.doesNotMatch(faults.join(), /CANARY/);
    assert.match((await faultsOf(t, "{")).join(), /is not JSON/);
    assert.match((await faultsOf(t, "[]")).join(), /must contain a JSON object/);
  });
});
