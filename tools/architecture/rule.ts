import type { SourceFile } from "./source-file.ts";

export interface Fault {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** The input of the rules: every path of the tree, and the parsed TypeScript and JavaScript files among them. */
export interface Tree {
  readonly texts: ReadonlyMap<string, string>;
  readonly sources: readonly SourceFile[];
}

/** A rule checks the whole tree and returns its findings; it has no side effects. */
export type Rule = (tree: Tree) => Fault[];
