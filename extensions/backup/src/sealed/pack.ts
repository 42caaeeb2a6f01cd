import { pipeline, Readable } from "node:stream";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { seal, unseal } from "./seal.ts";

/** Pages and WAL compress well at the lowest level, and the disk or the network stays the bottleneck. */
const LEVEL = 1;

/** Compresses and encrypts a stream. */
export function pack(key: Buffer, name: string, source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: LEVEL } });
  return seal(key, name, through(source, compress));
}

export function unpack(key: Buffer, name: string, source: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  return through(unseal(key, name, source), createZstdDecompress());
}

export async function packWhole(key: Buffer, name: string, content: Buffer): Promise<Buffer> {
  return collect(pack(key, name, single(content)));
}

export async function unpackWhole(key: Buffer, name: string, content: Buffer): Promise<Buffer> {
  return collect(unpack(key, name, single(content)));
}

export async function collect(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export async function* single(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

function through(source: AsyncIterable<Buffer>, transform: NodeJS.ReadWriteStream): AsyncIterable<Buffer> {
  // The reader of the transform gets the error.
  pipeline(Readable.from(source), transform, () => {});
  return transform as unknown as AsyncIterable<Buffer>;
}
