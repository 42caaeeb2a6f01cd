/** Folders whose code is the product; the others test, measure, build or describe it. */
const PRODUCT: ReadonlySet<string> = new Set([
  "clients",
  "console",
  "extensions",
  "libraries",
  "packages",
  "sdk",
  "server",
]);
const CODE = /\.(?:ts|tsx|js|mjs|sql|css|html)$/;
const TEST = /(?:^|\/)test\/|\.test\.|^acceptance\//;
/** The first line of a file that a program writes. */
const GENERATED = /^(?:\/\/ Written by|-- Generated|<!-- Generated)/;

export interface FolderLines {
  readonly folder: string;
  readonly isProduct: boolean;
  readonly files: number;
  readonly lines: number;
}

/** Whether a tracked file is code that people write, apart from tests. */
export function isCode(path: string): boolean {
  return CODE.test(path) && !TEST.test(path);
}

/** Lines of code by top folder, without generated files. */
export function countLines(texts: ReadonlyMap<string, string>): FolderLines[] {
  const folders = new Map<string, { files: number; lines: number }>();
  for (const [path, text] of texts) {
    if (!isCode(path) || GENERATED.test(text)) continue;
    const folder = path.slice(0, path.indexOf("/"));
    const { files, lines } = folders.get(folder) ?? { files: 0, lines: 0 };
    folders.set(folder, { files: files + 1, lines: lines + text.split("\n").length - 1 });
  }
  return Array.from(folders, ([folder, counts]) => ({ folder, isProduct: PRODUCT.has(folder), ...counts })).toSorted(
    (one, other) => other.lines - one.lines,
  );
}
