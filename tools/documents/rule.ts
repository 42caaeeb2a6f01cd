export interface DocumentTree {
  /** Texts of the markdown files by path, "/"-separated and from the root of the repository. */
  readonly pages: ReadonlyMap<string, string>;
  /** Sources of the acceptance tests by path. */
  readonly acceptance: ReadonlyMap<string, string>;
  readonly scripts: ReadonlySet<string>;
  readonly generated: Readonly<Record<string, () => string>>;
  /** By page, texts that must stand in it: a page written by hand may say more than the code, never less. */
  readonly mentions: Readonly<Record<string, readonly string[]>>;
  /** Whether a path from the root names a file or a folder. */
  readonly exists: (path: string) => boolean;
  /** The text of a file that is no page; null when there is none. */
  readonly readSource: (path: string) => string | null;
}

/** Returns its faults as lines of the form "path: what is wrong". */
export type DocumentRule = (tree: DocumentTree) => string[];
