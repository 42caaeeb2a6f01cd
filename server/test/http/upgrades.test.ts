import assert from "node:assert/strict";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import { test } from "node:test";
import { bodyOf, readToEnd, startServer } from "./support/test-server.ts";

const ASK = "GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";

test("an upgraded connection is handed over and not closed by the server", async (t) => {
  const upgraded = Promise.withResolvers<Duplex>();
  const { server, connect } = await startServer(t, {
    onUpgrade: (request, socket) => {
      assert.equal(request.url, "/socket");
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
      socket.on("data", (chunk: Buffer) => socket.write(chunk));
      upgraded.resolve(socket);
    },
  });
  const client = await connect();
  client.write(ASK);
  const [head] = (await once(client, "data")) as [Buffer];
  assert.match(head.toString(), /^HTTP\/1\.1 101 /);
  client.write("hello");
  assert.equal(String((await once(client, "data"))[0]), "hello");

  const stopping = server.close();
  client.write("still here");
  assert.equal(String((await once(client, "data"))[0]), "still here");
  (await upgraded.promise).end();
  await stopping;
});

test("an upgrade is rejected when there is no upgrade listener", async (t) => {
  const { connect, request } = await startServer(t);
  const client = await connect();
  client.write(ASK);
  const answer = await readToEnd(client);
  assert.match(answer, /^HTTP\/1\.1 503 /);
  assert.equal(bodyOf(answer)["code"], "SERVICE_UNAVAILABLE");
  assert.equal((await request("/health")).status, 200);
});
