import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../../../server/test/support/property-runs.ts";
import { collect, pack, single, unpack } from "../src/sealed/pack.ts";
import { FRAME_BYTES, SealError, seal, unseal } from "../src/sealed/seal.ts";

const KEY = Buffer.alloc(32, 7);
const NAME = "chains/one/wal/two";
const HEADER_BYTES = 28;
const SEALED_FRAME_BYTES = FRAME_BYTES + 16;

/** Lengths around the borders of frames. */
const lengths = fc.oneof(
  fc.constantFrom(0, 1, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 2 * FRAME_BYTES, 2 * FRAME_BYTES + 5),
  fc.integer({ min: 0, max: 3 * FRAME_BYTES }),
);

async function* inChunks(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

const open = (sealed: Buffer, key = KEY, name = NAME): Promise<Buffer> => collect(unseal(key, name, single(sealed)));

test("a sealed stream opens to the same bytes, however it is divided into chunks", async () => {
  await fc.assert(
    fc.asyncProperty(
      lengths,
      fc.integer({ min: 500, max: 100_000 }),
      fc.integer({ min: 500, max: 100_000 }),
      async (length, written, read) => {
        const plain = randomBytes(length);
        const sealed = await collect(seal(KEY, NAME, inChunks(plain, written)));
        assert.deepEqual(await collect(unseal(KEY, NAME, inChunks(sealed, read))), plain);
        const packed = await collect(pack(KEY, NAME, inChunks(plain, written)));
        assert.deepEqual(await collect(unpack(KEY, NAME, inChunks(packed, read))), plain);
      },
    ),
    { numRuns: propertyRuns(25) },
  );
});

test("a sealed stream with a changed byte, or cut off anywhere, does not open, and yields nothing that was not in it", async () => {
  await fc.assert(
    fc.asyncProperty(
      lengths,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.boolean(),
      async (length, share, isCut) => {
        const plain = randomBytes(length);
        const sealed = await collect(seal(KEY, NAME, single(plain)));
        const at = Math.min(sealed.length - 1, Math.floor(share * sealed.length));
        const changed = isCut ? sealed.subarray(0, at) : Buffer.from(sealed);
        if (!isCut) changed[at] = (changed[at] ?? 0) ^ 1;
        const read: Buffer[] = [];
        await assert.rejects(async () => {
          for await (const chunk of unseal(KEY, NAME, single(changed))) read.push(chunk);
        }, SealError);
        const beginning = Buffer.concat(read);
        assert.deepEqual(beginning, plain.subarray(0, beginning.length));
      },
    ),
    { numRuns: propertyRuns(50) },
  );
});

test("frames cannot be moved, removed, repeated or appended", async () => {
  const sealed = await collect(seal(KEY, NAME, single(randomBytes(3 * FRAME_BYTES))));
  const header = sealed.subarray(0, HEADER_BYTES);
  const frames = [0, 1, 2].map((n) =>
    sealed.subarray(HEADER_BYTES + n * SEALED_FRAME_BYTES, HEADER_BYTES + (n + 1) * SEALED_FRAME_BYTES),
  );
  assert.equal(HEADER_BYTES + frames.reduce((sum, frame) => sum + frame.length, 0), sealed.length);
  for (const order of [[1, 0, 2], [0, 2], [0, 1], [0, 1, 1, 2], [0, 1, 2, 2], [2]]) {
    const changed = Buffer.concat([header, ...order.map((n) => frames[n] ?? Buffer.alloc(0))]);
    await assert.rejects(open(changed), SealError, String(order));
  }
});

test("a stream opens under its own name and with its own key only, and equal streams differ", async () => {
  const plain = Buffer.from("rows");
  const [sealed, again] = [
    await collect(seal(KEY, NAME, single(plain))),
    await collect(seal(KEY, NAME, single(plain))),
  ];
  assert.notDeepEqual(sealed, again);
  assert.deepEqual(await open(sealed), plain);
  await assert.rejects(open(sealed, KEY, `${NAME}x`), /is damaged/);
  await assert.rejects(open(sealed, Buffer.alloc(32, 8)), /encrypted with another master key/);
  await assert.rejects(open(Buffer.from("no backup at all, but long enough")), /is no file of a backup/);
});
