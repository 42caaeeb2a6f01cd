import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { SettingsError } from "swarmbase/extension";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { readFunctionsFile } from "../src/read-functions-file.ts";

const SECRET = "s".repeat(32);

test("the functions file: defaults, all members, and every fault at once", async (t) => {
  const file = join(await createTemporaryFolder(t, "swarmbase-functions-file-"), "functions.json");
  const read = async (content: unknown, secret: string | null = SECRET) => {
    await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
    return readFunctionsFile(file, secret);
  };
  const faultsOf = async (content: unknown, secret?: string | null) => {
    try {
      await read(content, secret);
      return [];
    } catch (error) {
      assert.ok(error instanceof SettingsError);
      return error.faults.map((fault) => fault.replaceAll(`FUNCTIONS_FILE: ${file}: `, ""));
    }
  };

  const url = "http://127.0.0.1:3000/a";
  const usual = {
    methods: ["POST"],
    access: "account",
    timeoutMs: 30_000,
    isTokenForwarded: false,
    forwardedHeaders: [],
  };
  assert.deepEqual(await read({ one: url }), [{ name: "one", url: new URL(url), ...usual }]);
  const full = {
    url,
    methods: ["POST", "GET"],
    access: "user",
    timeout_ms: 1,
    forward_token: true,
    forward_headers: ["X-A"],
  };
  assert.deepEqual(await read({ two: full }), [
    {
      name: "two",
      url: new URL(url),
      methods: ["GET", "POST"],
      access: "user",
      timeoutMs: 1,
      isTokenForwarded: true,
      forwardedHeaders: ["x-a"],
    },
  ]);
  assert.deepEqual(await read({}, null), []);

  assert.match((await faultsOf("{"))[0] ?? "", /JSON/);
  assert.deepEqual(await faultsOf([]), ["must be a JSON object of names and URLs"]);
  assert.deepEqual(await faultsOf({ one: url }, null), [
    "FUNCTIONS_FILE needs FUNCTIONS_SECRET, which signs the calls",
  ]);
  assert.throws(() => readFunctionsFile(`${file}.missing`, SECRET), /ENOENT/);
  const wrong = {
    "Not A Name": url,
    number: 7,
    scheme: "ftp://example.com/",
    user: "https://ada:pw@example.com/",
    fragment: "https://example.com/#a",
    members: {
      URL: url,
      methods: ["POST", "POST"],
      access: "apikey",
      timeout_ms: 300_001,
      forward_token: "yes",
      forward_headers: ["Authorization"],
    },
  };
  assert.deepEqual(await faultsOf(wrong), [
    "Not A Name must have lower-case letters, digits, hyphens and underscores, and at most 63 of them",
    "number must be a URL or an object",
    "scheme.url must be an http or https URL",
    "user.url must have no user name or password",
    "fragment.url must have no fragment",
    "members.URL is unknown; known are url, methods, access, timeout_ms, forward_token, forward_headers",
    "members.url must be an http or https URL",
    "members.methods must list some of GET, POST, PUT, PATCH, DELETE, each once",
    "members.access must be one of public, bearer, account, user, service",
    "members.timeout_ms must be a whole number from 1 to 300000",
    "members.forward_token must be true or false",
    "members.forward_headers must list names of headers that may be forwarded; credentials and hop-by-hop headers may not",
  ]);
  for (const name of ["cookie", "Host", "TE", "X-Service-Caller", "proxy-x", "a b", ""]) {
    assert.equal((await faultsOf({ one: { url, forward_headers: [name] } })).length, 1, name);
  }
});
