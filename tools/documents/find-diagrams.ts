import { createHash } from "node:crypto";

export interface Diagram {
  /** The file of its drawing: a digest of the source, so that a changed diagram has another one. */
  readonly name: string;
  readonly source: string;
}

const BLOCK = /^```mermaid\n([\s\S]*?)\n```$/gm;

/** The Mermaid diagrams of Markdown texts. `extensions/docs-site` finds their drawings by the same names. */
export function findDiagrams(texts: Iterable<string>): readonly Diagram[] {
  return [...texts].flatMap((text) =>
    [...text.matchAll(BLOCK)].map(([, source = ""]) => ({
      name: `${createHash("sha256").update(source).digest("hex").slice(0, 16)}.svg`,
      source,
    })),
  );
}
