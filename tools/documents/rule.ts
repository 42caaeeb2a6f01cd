export interface DocumentTree {
  /** Texts of the Markdown files by path, "/"-separated and relative to the root of the repository. */
  readonly pages: ReadonlyMap<string, string>;
  /** Sources of the acceptance tests by path. */
  readonly acceptance: ReadonlyMap<string, string>;
  /** TypeScript sources of all workspaces by path. */
  readonly sources: ReadonlyMap<string, string>;
  /** Every file of the repository. */
  readonly paths: readonly string[];
  readonly scripts: ReadonlySet<string>;
  readonly generated: Readonly<Record<string, () => string>>;
  /** Texts that a page must contain, by page. */
  readonly mentions: Readonly<Record<string, readonly string[]>>;
  /** Whether a path relative to the root is a file or a folder. */
  readonly exists: (path: string) => boolean;
  /** Whether a program writes the file. */
  readonly isGenerated: (path: string) => boolean;
  /** The text of a file that is not a page; null if it does not exist. */
  readonly readSource: (path: string) => string | null;
}

/** Returns errors as lines of the form "path: what is wrong". */
export type DocumentRule = (tree: DocumentTree) => string[];
