import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readTar, renderTarHeader, TAR_END, tarPadding } from "../../src/commands/archive/tar.ts";

const segment = fc.stringMatching(/^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,20}$/);
const path = fc.array(segment, { minLength: 1, maxLength: 6 }).map((parts) => parts.join("/"));
const file = fc.record(
  { path, content: fc.uint8Array({ maxLength: 3000 }), mode: fc.integer({ min: 0, max: 0o777 }) },
  { noNullPrototype: true },
);

async function* split(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

test("a tar archive is read back as it was written, for any size of chunks", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(file, { maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 5 }),
      async (files, sizes) => {
        const bytes = Buffer.concat([
          ...files.flatMap(({ path: name, content, mode }) => [
            renderTarHeader({ path: name, kind: "file", sizeBytes: content.length, mode }, 1_794_744_060),
            Buffer.from(content),
            tarPadding(content.length),
          ]),
          TAR_END,
        ]);
        const found: typeof files = [];
        for await (const entry of readTar(split(bytes, sizes))) {
          const parts: Buffer[] = [];
          for await (const chunk of entry.content) parts.push(Buffer.from(chunk));
          found.push({ path: entry.path, content: new Uint8Array(Buffer.concat(parts)), mode: entry.mode });
        }
        assert.deepEqual(found, files);
      },
    ),
    { numRuns: 100 },
  );
});

test("a tar archive with paths outside its root, links or damaged headers is rejected", async () => {
  const first = async (header: Buffer) => {
    for await (const entry of readTar(split(Buffer.concat([header, TAR_END]), [512]))) return entry.path;
    return null;
  };
  const headerOf = (name: string) => renderTarHeader({ path: name, kind: "file", sizeBytes: 0, mode: 0o600 }, 0);
  for (const name of ["../x", "/etc/x", "a/../../x", "a//b", "c:/x", "a\\..\\x", "a\nb", ".", "a/./b"]) {
    await assert.rejects(first(headerOf(name)), /path that is not allowed/, name);
  }
  assert.equal(await first(headerOf("./a/b")), "a/b");
  const bent = headerOf("a");
  bent.write("b", 0);
  await assert.rejects(first(bent), /checksum of a header/);
  const link = headerOf("a");
  const before = link[156] ?? 0;
  link.write("2", 156);
  const sum = Number.parseInt(link.toString("latin1", 148, 154), 8) + "2".charCodeAt(0) - before;
  link.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  await assert.rejects(first(link), /neither a file nor a folder/);
});
