import assert from "node:assert/strict";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createTemporaryFolder } from "../../../server/test/support/temporary-folder.ts";
import { openFolderStore } from "../src/store/folder-store.ts";
import { ExistsError, type ObjectStore } from "../src/store/object-store.ts";
import { openS3Store } from "../src/store/s3-store.ts";
import { signRequest } from "../src/store/sign-request.ts";
import { S3_CREDENTIALS, startS3Server } from "./support/s3-server.ts";

const { signal } = new AbortController();
const now = (): Date => new Date();

async function exercise(store: ObjectStore): Promise<void> {
  assert.deepEqual(await store.list("chains/", signal), []);
  assert.equal(await store.get("chains/a", signal), null);
  const names = ["chains/a/wal/1", "chains/a/wal/2", "chains/a/x y&(z)*'", "chains/b/1", "chains/b/2"];
  for (const name of names) await store.put(name, Buffer.from(name), { signal });
  assert.deepEqual(await store.list("chains/", signal), [...names].sort());
  assert.deepEqual(await store.list("chains/b/", signal), ["chains/b/1", "chains/b/2"]);
  await assert.rejects(store.put("chains/b/1", Buffer.from("other"), { signal }), ExistsError);
  assert.equal(String(await store.get("chains/b/1", signal)), "chains/b/1");
  await store.put("chains/b/1", Buffer.from("other"), { signal, mayReplace: true });
  assert.equal(String(await store.get("chains/b/1", signal)), "other");
  await store.remove("chains/b/1", signal);
  await store.remove("chains/b/1", signal);
  assert.deepEqual(await store.list("chains/b/", signal), ["chains/b/2"]);
  await assert.rejects(store.put("chains/c", Buffer.alloc(1), { signal: AbortSignal.abort() }));
  assert.equal(await store.get("chains/c", signal), null);
}

test("a folder stores objects that only its owner can read, and never shows one that is not complete", async (t) => {
  const folder = await createTemporaryFolder(t, "swarmbase-store-");
  const store = openFolderStore(join(folder, "new", "archive"));
  await exercise(store);
  assert.equal((await stat(join(folder, "new/archive/chains/b/2"))).mode & 0o777, 0o600);
  assert.equal((await stat(join(folder, "new"))).mode & 0o777, 0o700);
  await writeFile(join(folder, "new/archive/chains/b/.draft-0011"), "half");
  assert.deepEqual(await store.list("chains/b/", signal), ["chains/b/2"]);
  assert.equal((await readdir(join(folder, "new/archive/chains/b"))).length, 2);
});

async function openBucket(t: TestContext, prefix = "") {
  const server = await startS3Server(t);
  const store = openS3Store({ url: server.url + prefix, credentials: S3_CREDENTIALS, fetch, now });
  return { server, store };
}

test("a bucket stores objects by signed requests, with and without a prefix", async (t) => {
  for (const prefix of ["", "/some/folder"]) {
    const { server, store } = await openBucket(t, prefix);
    await exercise(store);
    assert.deepEqual(server.rejected, []);
    assert.ok([...server.objects.keys()].every((name) => name.startsWith(prefix.slice(1))));
  }
});

test("a bucket that cannot answer for a moment is asked again, and a refusal names its code without secrets", async (t) => {
  const { server, store } = await openBucket(t);
  server.failNext(2);
  await store.put("chains/a", Buffer.from("a"), { signal });
  assert.equal(String(server.objects.get("chains/a")), "a");
  const credentials = { ...S3_CREDENTIALS, secretAccessKey: "wrong" };
  const other = openS3Store({ url: server.url, credentials, fetch, now });
  await assert.rejects(other.get("chains/a", signal), (error: Error) => {
    assert.equal(error.message, "The bucket refused to read chains/a: 403 SignatureDoesNotMatch");
    return true;
  });
});

test("a response of a bucket that does not end is given up", async () => {
  let sent = 0;
  const endless: typeof fetch = async () => {
    const chunk = new Uint8Array(1024 * 1024);
    return new Response(
      new ReadableStream({
        pull: (controller) => {
          sent += 1;
          controller.enqueue(chunk);
        },
      }),
    );
  };
  const url = "https://bucket.example.com/backups";
  const store = openS3Store({ url, credentials: S3_CREDENTIALS, fetch: endless, now });
  await assert.rejects(store.get("chains/a", signal), /sent more than 67108864 bytes/);
  assert.ok(sent < 70, `${sent} MB, once`);
});

test("a request is signed as in the example of the S3 API reference", () => {
  const url = new URL("https://examplebucket.s3.amazonaws.com/?max-keys=2&prefix=J");
  const credentials = {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    region: "us-east-1",
  };
  const request = { method: "GET", url, headers: {}, body: Buffer.alloc(0) } as const;
  const { authorization } = signRequest(request, credentials, new Date("2013-05-24T00:00:00Z"));
  assert.match(authorization ?? "", /Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7$/);
});
