import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import { before, beforeEach, describe, it } from "node:test";
import { createAddressPolicy, type AddressPolicy, openGuardedFetch } from "@swarmbase/guarded-fetch";
import { ClientDocuments } from "../../../src/auth/oauth/clients/client-documents.ts";
import { explainUnknownClient, findClient } from "../../../src/auth/oauth/clients/client.ts";
import { collectClosers } from "../one-time-closers.ts";
import { createAuthContext, type TestAuthContext } from "../support/auth-context.ts";
import { listen } from "../../support/listen.ts";
import { until } from "../../support/until.ts";
import { authority, credential, loopbackPolicy } from "../../support/receiver.ts";

type Answer = (response: ServerResponse) => void;

const CALLBACK = "http://127.0.0.1/callback";
const DAY_MS = 86_400_000;

describe("a client that a document describes", () => {
  const closers = collectClosers();
  const answers = new Map<string, Answer>();
  const requests: string[] = [];
  const notes: { readonly name: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];
  let stage: TestAuthContext;
  let origin: string;
  let made = 0;

  const openFetch = (policy: AddressPolicy): typeof fetch => {
    const guarded = openGuardedFetch({ policy, ca: [authority.cert], connectionsPerOrigin: 4, exemptUrls: [] });
    closers.after(() => guarded.close());
    return guarded.fetch as unknown as typeof fetch;
  };
  const newId = (): string => `${origin}/client-${(made += 1)}.json`;
  const serve = (id: string, document: unknown, headers: Readonly<Record<string, string>> = {}): void => {
    const text = typeof document === "string" ? document : JSON.stringify(document);
    answers.set(new URL(id).pathname, (response) =>
      response.writeHead(200, { "content-type": "application/json", ...headers }).end(text),
    );
  };
  const countRequests = (id: string): number => requests.filter((path) => path === new URL(id).pathname).length;
  const find = (id: string) => findClient(stage.context, id);
  const explain = (id: string) => explainUnknownClient(stage.context, id);
  const assertRefused = async (id: string, reason: RegExp): Promise<void> => {
    assert.equal(await find(id), null, id);
    assert.match(explain(id), reason);
    const { rows } = await stage.context.pool.query("select from auth.oauth_clients where id = $1", [id]);
    assert.equal(rows.length, 0);
  };
  const onAnotherNode = (policy = loopbackPolicy): Pick<TestAuthContext["context"], "pool" | "clientDocuments"> => {
    const { pool, clock, baseUrl } = stage.context;
    const observer = {
      ...stage.context.observer,
      note: (name: string, fields = {}) => void notes.push({ name, fields }),
    };
    const options = { pool, clock, observer: observer as never, baseUrl: () => baseUrl, fetch: openFetch(policy) };
    return { pool, clientDocuments: new ClientDocuments(options) };
  };

  before(async () => {
    const server = createServer(credential, ({ url = "" }, response) => {
      requests.push(url);
      const answer = answers.get(url);
      if (answer === undefined) response.writeHead(404, { "content-type": "application/json" }).end("{}");
      else answer(response);
    });
    origin = `https://localhost:${await listen(closers, server)}`;
    stage = await createAuthContext(closers, { documentFetch: openFetch(loopbackPolicy) });
  });
  beforeEach(() => void (notes.length = 0));

  it("is what the document says", async () => {
    const id = newId();
    serve(id, {
      client_id: id,
      client_name: "Editor",
      client_uri: "https://editor.example.com",
      logo_uri: "https://editor.example.com/logo.png",
      redirect_uris: ["https://editor.example.com/callback", CALLBACK],
      grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      scope: "run approve something-else read",
      application_type: "native",
      jwks_uri: null,
    });
    assert.deepEqual(await find(id), {
      id,
      registration: "document",
      name: "Editor",
      clientUri: "https://editor.example.com",
      logoUri: "https://editor.example.com/logo.png",
      redirectUris: ["https://editor.example.com/callback", CALLBACK],
      grantTypes: ["authorization_code"],
      authMethod: "none",
      secretHash: null,
      scopes: ["read", "run", "approve"],
    });
  });

  it("has the name of its host unless it gives another one, and may ask for all when it knows no scope", async () => {
    const id = newId();
    serve(
      id,
      { client_id: id, redirect_uris: [CALLBACK], scope: "mcp:tools" },
      { "content-type": "application/x+json" },
    );
    const client = await find(id);
    assert.equal(client?.name, new URL(id).host);
    assert.equal(client.scopes, null);
    assert.deepEqual(client.grantTypes, ["authorization_code", "refresh_token"]);
  });

  it("is unknown when the document is not valid, and the developer learns why", async () => {
    for (const [change, reason] of [
      [{ client_id: `${origin}/another.json` }, /client_id is not the address of the document/],
      [{ client_id: undefined }, /client_id: /],
      [{ redirect_uris: undefined }, /redirect_uris: /],
      [{ redirect_uris: ["https://a.example/*"] }, /redirect_uris\.0: must not have wildcards/],
      [{ redirect_uris: ["http://a.example/"] }, /redirect_uris\.0: must be an https URL/],
      [{ token_endpoint_auth_method: "client_secret_basic" }, /token_endpoint_auth_method: must be none/],
      [{ token_endpoint_auth_method: "private_key_jwt" }, /token_endpoint_auth_method: must be none/],
      [{ client_secret: "secret" }, /client_secret: must be absent/],
      [{ client_uri: "http://a.example" }, /client_uri: must be an https URL/],
      [{ logo_uri: "data:image/png;base64,AA" }, /logo_uri: must be an https URL/],
      [{ client_name: "x".repeat(101) }, /client_name: /],
      [{ client_name: "a\0b" }, /client_name holds a character that cannot be stored/],
      [{ grant_types: ["client_credentials"] }, /grant_types: must include authorization_code/],
    ] as const) {
      const id = newId();
      serve(id, { client_id: id, redirect_uris: [CALLBACK], ...change });
      await assertRefused(id, reason);
    }
  });

  it("is unknown when the host answers with anything but a short JSON document", async () => {
    const valid = (id: string) => JSON.stringify({ client_id: id, redirect_uris: [CALLBACK] });
    const json = { "content-type": "application/json" };
    const rows: readonly (readonly [(id: string) => Answer, RegExp])[] = [
      [
        (id) => (response) => response.writeHead(200, { "content-type": "text/html" }).end(valid(id)),
        /type is not JSON/,
      ],
      [(id) => (response) => response.writeHead(200).end(valid(id)), /type is not JSON/],
      [() => (response) => response.writeHead(200, json).end("{"), /must be valid JSON/],
      [() => (response) => response.writeHead(200, json).end("[]"), /must be a JSON object/],
      [() => (response) => response.writeHead(200, json).end("[".repeat(20_000)), /document is not valid/],
      [(id) => (response) => response.writeHead(203, json).end(valid(id)), /answered with status 203/],
      [(id) => (response) => response.writeHead(404, json).end(valid(id)), /answered with status 404/],
      [(id) => (response) => response.writeHead(200, json).end(valid(id) + " ".repeat(32_768)), /could not be read/],
      [
        (id) => (response) => response.writeHead(200, { ...json, "content-encoding": "gzip" }).end(valid(id)),
        /could not be read/,
      ],
      [() => (response) => response.destroy(), /could not be read/],
    ];
    for (const [answer, reason] of rows) {
      const id = newId();
      answers.set(new URL(id).pathname, answer(id));
      await assertRefused(id, reason);
    }
  });

  it("is unknown when its address redirects, also to a valid document", async () => {
    const [id, target] = [newId(), newId()];
    serve(target, { client_id: id, redirect_uris: [CALLBACK] });
    answers.set(new URL(id).pathname, (response) => response.writeHead(302, { location: target }).end());
    await assertRefused(id, /could not be read/);
    assert.equal(countRequests(target), 0);
  });

  it("is unknown when its document does not arrive in time", async (t) => {
    const id = newId();
    answers.set(new URL(id).pathname, (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => response.write(" "), 100);
      response.on("close", () => clearInterval(timer));
    });
    const startedMs = performance.now();
    await assertRefused(id, /could not be read/);
    const seconds = (performance.now() - startedMs) / 1000;
    assert.ok(seconds >= 4.5, `ended after ${seconds} s`);
    t.diagnostic(`ended after ${seconds} s`);
  });

  it("is not asked at an address that the operator does not allow, and nobody learns from the answer whether it exists", async () => {
    const node = onAnotherNode(createAddressPolicy({ allowedCidrs: [] }));
    const port = new URL(origin).port;
    const ids = [
      `${origin}/a.json`,
      `https://127.0.0.1:${port}/a.json`,
      "https://10.0.0.1/a.json",
      "https://169.254.169.254/latest/meta-data",
    ];
    const asked = requests.length;
    for (const id of ids) {
      assert.equal(await findClient(node, id), null);
      assert.equal(explainUnknownClient(node, id), "This client cannot be used: the document could not be read");
    }
    assert.equal(requests.length, asked);
    assert.deepEqual(
      notes.map(({ name, fields }) => [name, fields["clientId"], fields["reason"]]),
      ids.map((id) => ["oauth.document_failed", id, "blocked_address"]),
    );
  });

  it("is not asked for when its id is not an address that a client can have", async () => {
    const asked = requests.length;
    for (const id of [
      `${origin}/`,
      `${origin}/a/../b`,
      `${origin}/a#b`,
      `${stage.context.baseUrl}/client.json`,
      "https://\0/a",
    ])
      await assertRefused(id, /cannot be used|No client/).catch((error: unknown) => {
        if (!id.includes("\0")) throw error;
      });
    for (const id of ["http://localhost/client.json", "", "x".repeat(10_000), "a\0b"]) {
      assert.equal(await find(id), null);
      assert.equal(explain(id), "No client has this id");
    }
    assert.equal(requests.length, asked);
  });

  it("is read once for requests that come together, and not again until it expires", async () => {
    const id = newId();
    serve(id, { client_id: id, redirect_uris: [CALLBACK] }, { "cache-control": "max-age=600" });
    const node = onAnotherNode();
    const found = await Promise.all(Array.from({ length: 20 }, () => findClient(node, id)));
    assert.ok(found.every((client) => client?.id === id));
    assert.equal(countRequests(id), 1);
    assert.deepEqual(
      notes.map(({ name }) => name),
      ["oauth.client_registered"],
    );
    stage.clock.advance(599_000);
    assert.ok(await find(id));
    assert.equal(countRequests(id), 1);
    serve(id, { client_id: id, client_name: "Renamed", redirect_uris: ["https://a.example/callback"] });
    stage.clock.advance(2_000);
    const renamed = await findClient(node, id);
    assert.deepEqual([renamed?.name, renamed?.redirectUris], ["Renamed", ["https://a.example/callback"]]);
    assert.equal(countRequests(id), 2);
    assert.equal(notes.length, 1);
  });

  it("stays for a day after its document has expired and cannot be read, and is known again with the document", async () => {
    const id = newId();
    const document = { client_id: id, client_name: "Editor", redirect_uris: [CALLBACK] };
    serve(id, document, { "cache-control": "max-age=300" });
    assert.ok(await find(id));
    serve(id, { ...document, client_id: "https://other.example/client.json", client_name: "Lie" });
    stage.clock.advance(300_000);
    assert.equal((await find(id))?.name, "Editor");
    stage.clock.advance(DAY_MS - 120_000);
    assert.equal((await find(id))?.name, "Editor");
    stage.clock.advance(120_000);
    assert.equal(await find(id), null);
    serve(id, { ...document, client_name: "Back" });
    stage.clock.advance(11_000);
    assert.equal((await find(id))?.name, "Back");
  });

  it("is not asked for again at once when its document could not be read", async () => {
    const id = newId();
    for (let call = 0; call < 5; call += 1) assert.equal(await find(id), null);
    assert.equal(countRequests(id), 1);
    stage.clock.advance(10_000);
    serve(id, { client_id: id, redirect_uris: [CALLBACK] });
    assert.ok(await find(id));
    assert.equal(countRequests(id), 2);
  });

  it("does not let one host have more than two requests at a time, and the others are refused", async () => {
    let open = 0;
    let most = 0;
    const held: (() => void)[] = [];
    const ids = Array.from({ length: 40 }, newId);
    for (const id of ids)
      answers.set(new URL(id).pathname, (response) => {
        most = Math.max(most, (open += 1));
        const end = (): void => {
          open -= 1;
          response
            .writeHead(200, { "content-type": "application/json" })
            .end(JSON.stringify({ client_id: id, redirect_uris: [CALLBACK] }));
        };
        if (held.length < 2) held.push(end);
        else end();
      });
    const node = onAnotherNode();
    let refused = 0;
    const finding = ids.map(async (id) => {
      const client = await findClient(node, id);
      if (client === null) refused += 1;
      return client;
    });
    await until(() => refused >= 30);
    for (const end of held) end();
    const found = (await Promise.all(finding)).filter((client) => client !== null);
    assert.equal(found.length, 10);
    assert.equal(most, 2);
  });

  it("is not taken for absent while the database is away", async () => {
    const id = newId();
    serve(id, { client_id: id, redirect_uris: [CALLBACK] });
    const broken = { query: () => Promise.reject(new Error("no connection")) };
    const { clock, observer, baseUrl } = stage.context;
    const documents = new ClientDocuments({
      pool: broken as never,
      clock,
      observer,
      baseUrl: () => baseUrl,
      fetch: openFetch(loopbackPolicy),
    });
    await assert.rejects(documents.find(id, null), /no connection/);
    await assert.rejects(documents.find(id, null), /no connection/);
    assert.equal(documents.faultOf(id), null);
  });
});
