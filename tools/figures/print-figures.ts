import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkFolderCycles } from "../architecture/rules/folder-cycles.ts";
import { parseSourceFile } from "../architecture/source-file.ts";
import { listCallFiles } from "../documents/check-call-path.ts";
import { countLines, isCode } from "./count-lines.ts";
import { listFunctions } from "./list-functions.ts";

const MAX_PRODUCT_LINES = 156_000;
const SHOWN_FUNCTIONS = 10;

/** Prints figures about the size and the structure of a checkout. They inform: none of them is an error. */
export function printFigures(root: string): void {
  // The files may belong to another account.
  const listing = execFileSync("git", ["-c", "safe.directory=*", "ls-files"], { cwd: root, encoding: "utf8" });
  const paths = listing.split("\n").filter((path) => path !== "" && existsSync(join(root, path)));
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const texts = new Map(paths.filter(isCode).map((path) => [path, read(path)]));

  const folders = countLines(texts);
  for (const { folder, isProduct, files, lines } of folders)
    row(folder, `${count(lines)} lines, ${count(files)} files${isProduct ? "" : ", not product code"}`);
  const product = folders.filter(({ isProduct }) => isProduct);
  const sum = (of: "lines" | "files"): number => product.reduce((total, folder) => total + folder[of], 0);
  row(
    "product code",
    `${count(sum("lines"))} lines of at most ${count(MAX_PRODUCT_LINES)}, ${count(sum("files"))} files`,
  );
  row("tracked files", count(paths.length));

  const sources = Array.from(texts, ([path, text]) => [path, text] as const)
    .filter(([path]) => /\.tsx?$/.test(path))
    .map(([path, text]) => parseSourceFile(path, text));
  const cycles = checkFolderCycles({ texts, sources });
  row("folder cycles", count(cycles.length));
  for (const { message } of cycles) row("", message);

  const longest = sources.flatMap(listFunctions).toSorted((one, other) => other.lines - one.lines);
  row("longest functions", "");
  for (const { path, name, lines } of longest.slice(0, SHOWN_FUNCTIONS)) row("", `${lines} lines: ${name}, ${path}`);

  const { scripts = {} } = JSON.parse(read("package.json")) as { readonly scripts?: object };
  row("npm scripts", count(Object.keys(scripts).length));
  row("tracked files at the root", count(paths.filter((path) => !path.includes("/")).length));
  const page = paths.includes("docs/architecture.md") ? read("docs/architecture.md") : "";
  const files = listCallFiles(page);
  row("files of a call of agent-respond", files.length === 0 ? "not listed" : count(files.length));
  for (const file of files) row("", file);
}

function row(name: string, text: string): void {
  console.log(`${name.padEnd(34)}${text}`);
}

function count(number: number): string {
  return number.toLocaleString("en");
}
