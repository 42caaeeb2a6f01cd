import { existsSync } from "node:fs";
import { glob, readFile } from "node:fs/promises";
import { extname, join, resolve, sep } from "node:path";

/** The Markdown pages and the files that they show. */
export interface Content {
  /** Path of a page on the site, below `/docs`, by its file: `guides/agents` for `docs/guides/agents.md`. */
  readonly pages: ReadonlyMap<string, string>;
  /** The same for pictures, schemas and vectors: `pictures/whole.svg` for `docs/pictures/whole.svg`. */
  readonly attachments: ReadonlyMap<string, string>;
  /** `file` is a key of `pages` or `attachments`. */
  read(file: string): Promise<Buffer>;
}

/** Files with these names are on the site; `copy-content.ts` copies the same ones. */
export const PAGE_PATTERNS = [
  "{README,CHANGELOG,CONTRIBUTING,SECURITY}.md",
  "docs/**/*.md",
  "{acceptance,bench,console}/README.md",
  "examples/README.md",
  "{libraries,clients,extensions,examples}/*/README.md",
];
export const ATTACHMENT_PATTERNS = ["docs/pictures/**/*.{svg,webp}", "docs/reference/**/*.json"];

const PACKAGE = resolve(import.meta.dirname, "../..");
export const REPOSITORY = resolve(PACKAGE, "../..");
/** A published package has the files here, because the repository is not around it. */
export const COPIED_CONTENT = join(PACKAGE, "dist");

export async function loadContent(root: string = findRoot()): Promise<Content> {
  const pages = await listFiles(root, PAGE_PATTERNS);
  const attachments = await listFiles(root, ATTACHMENT_PATTERNS);
  return { pages, attachments, read: (file) => readFile(join(root, file)) };
}

function findRoot(): string {
  const isInRepository = ["docs/README.md", "extensions/docs-site"].every((path) => existsSync(join(REPOSITORY, path)));
  return isInRepository ? REPOSITORY : COPIED_CONTENT;
}

async function listFiles(root: string, patterns: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const files: string[] = [];
  for await (const file of glob([...patterns], { cwd: root })) files.push(file.split(sep).join("/"));
  return new Map(files.toSorted().map((file) => [file, toSitePath(file)]));
}

/** The index of `docs/` is the front page, so its path is empty. */
function toSitePath(file: string): string {
  const inDocs = file.replace(/^docs\//, "");
  if (extname(file) !== ".md") return inDocs;
  if (file === "README.md") return "readme";
  return inDocs.replace(/(?:^|\/)README\.md$|\.md$/, "").toLowerCase();
}
