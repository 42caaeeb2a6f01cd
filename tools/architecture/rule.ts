import type { SourceFile } from "./source-file.ts";

export interface Fault {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** What the rules look at: every path of the tree, and the parsed TypeScript and JavaScript among them. */
export interface Tree {
  readonly texts: ReadonlyMap<string, string>;
  readonly sources: readonly SourceFile[];
}

/** A rule judges the whole tree and returns what it finds; it neither reads nor prints. */
export type Rule = (tree: Tree) => Fault[];
