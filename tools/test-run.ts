import { existsSync, globSync, statSync } from "node:fs";
import { join, sep } from "node:path";

const WORKSPACES = [
  "libraries",
  "clients",
  "server",
  "extensions",
  "console",
  "examples",
  "acceptance",
  "tools",
  "bench",
];
const GLOBAL_SETUP = "server/test/support/global-setup.ts";

export interface TestRun {
  /** For Node. */
  readonly options: readonly string[];
  /** Relative to the root. */
  readonly files: readonly string[];
  /** No part was asked for. */
  readonly isWhole: boolean;
}

const LONG_ENDING = ".long.test.ts";
const LONG_OPTION = "--long";

/**
 * What to run of the tests below `root`. Words of `argv` that begin with "-" go to Node, all others are folders or
 * patterns that replace "every test". Files that end in `.long.test.ts` are run with `--long` or by their name only. Null when
 * there is no test to run: no output would be taken for success.
 */
export function planTestRun(root: string, argv: readonly string[]): TestRun | null {
  const isLong = argv.includes(LONG_OPTION);
  const extra = argv.filter((word) => word.startsWith("-") && word !== LONG_OPTION);
  const wanted = argv.filter((word) => !word.startsWith("-"));
  const patterns = (wanted.length > 0 ? wanted : WORKSPACES).map((word) =>
    isFolder(join(root, word)) ? `${word}/**/*${isLong ? LONG_ENDING : ".test.ts"}` : word,
  );
  const files = globSync(patterns, {
    cwd: root,
    exclude: (path) => path.split(sep).at(-1) === "node_modules",
  })
    .filter((path) => isLong || !path.endsWith(LONG_ENDING) || wanted.includes(path))
    .toSorted();
  if (files.length === 0) return null;
  const options = [
    "--conditions=swarmbase-source",
    "--test",
    // More files than cores: a test of behaviour mostly waits for PostgreSQL or a socket.
    "--test-concurrency=4",
    // A test that hangs is a test that fails.
    `--test-timeout=${isLong ? 1_200_000 : 240_000}`,
    ...(existsSync(join(root, GLOBAL_SETUP)) ? [`--test-global-setup=${GLOBAL_SETUP}`] : []),
    ...extra,
  ];
  return { options, files, isWhole: wanted.length === 0 };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
