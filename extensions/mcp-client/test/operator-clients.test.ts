import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { loadOperatorClients } from "../src/oauth/operator-clients.ts";

const CLIENT = { origins: ["https://api.example.com"], issuer: "https://login.example.com", client_id: "a" };

test("clients of the operator are found by the origins that they name, and every fault is reported", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "swarmbase-clients-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "clients.json");
  const load = (...clients: readonly object[]) => {
    writeFileSync(path, JSON.stringify({ clients }));
    return loadOperatorClients(path);
  };
  const endpoints = { authorization: "https://login.example.com/a", token: "https://login.example.com/t" };
  const found = load(CLIENT, { ...CLIENT, origins: ["https://b.example.com:8443"], client_id: "b", endpoints });
  assert.equal(found.find("https://api.example.com")?.information.client_id, "a");
  assert.equal(found.find("https://b.example.com:8443")?.metadata?.token_endpoint, endpoints.token);
  for (const origin of ["https://b.example.com", "http://api.example.com", "https://api.example.com.evil.example"])
    assert.equal(found.find(origin), null, origin);
  assert.equal(found.get("b")?.issuer, CLIENT.issuer);
  assert.equal(loadOperatorClients(null).find("https://api.example.com"), null);

  const faulty = [
    [{ ...CLIENT, origins: ["https://api.example.com/path"] }],
    [{ ...CLIENT, origins: ["http://api.example.com"] }],
    [{ ...CLIENT, origins: [] }],
    [{ ...CLIENT, issuer: "login" }],
    [CLIENT, { ...CLIENT, client_id: "b" }],
    [CLIENT, { ...CLIENT, origins: ["https://b.example.com"] }],
  ];
  for (const clients of faulty)
    assert.throws(() => load(...clients), /MCP_OAUTH_CLIENTS_FILE/, JSON.stringify(clients));
  writeFileSync(path, "{");
  assert.throws(() => loadOperatorClients(path), /is no JSON/);
  assert.throws(() => loadOperatorClients(join(folder, "none.json")), /cannot be read/);
});
