import { readdir, readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const TEXTS: ReadonlySet<string> = new Set([".css", ".html", ".js", ".json", ".svg"]);
/** Below this the headers weigh more than what is saved. */
const SMALLEST = 512;

/** Puts a `.br` and a `.gz` beside every text, so that the service has nothing left to compress. */
export async function squeeze(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = entries.filter((entry) => entry.isFile() && TEXTS.has(extname(entry.name)));
  await Promise.all(
    texts.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const plain = await readFile(path);
      if (plain.length < SMALLEST) return;
      const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
      const [brotli, gzipped] = await Promise.all([
        promisify(brotliCompress)(plain, { params }),
        promisify(gzip)(plain, { level: 9 }),
      ]);
      await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, gzipped)]);
    }),
  );
}
