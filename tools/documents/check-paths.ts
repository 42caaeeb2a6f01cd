import { posix } from "node:path";
import type { DocumentRule, DocumentTree } from "./rule.ts";

const FENCE = /^(```|~~~)[\s\S]*?^\1/gm;
/** The changelog says what was, and the map has a check of its own. */
const LEFT_OUT: ReadonlySet<string> = new Set(["CHANGELOG.md", "docs/interface-map.md"]);
/** Pages that also name files by the end of their path, such as `writer/run-writer.ts`. */
const ABOUT_CODE = /^docs\/(?:architecture\.md|glossary\.md|decisions\/)/;
/** A path from the root of the repository, without placeholders, with or without a symbol behind it. */
const FROM_ROOT =
  /`((?:acceptance|bench|clients|console|deploy|docs|examples|extensions|libraries|server|tools)\/(?![^`]*NNNN)[\w./-]+\.(?:tsx?|sql|md|ya?ml|json))(?:#|`)/g;
/** A source file. `NNNN_words.sql` is a form of names. */
const SOURCE = /`((?!NNNN)\w[\w./-]*\.(?:tsx?|sql))(?:#|`)/g;
/** A file of the package whose README names it. */
const OF_PACKAGE = /`((?:src|sql)\/[\w./-]+\.(?:tsx?|sql))(?:#|`)/g;

/** Files that a page names exist. */
export const checkPaths: DocumentRule = (tree) =>
  [...tree.pages]
    .filter(([path]) => !LEFT_OUT.has(path))
    .flatMap(([path, page]) => {
      const prose = page.replace(FENCE, "");
      const missing = [
        ...(ABOUT_CODE.test(path)
          ? namesIn(prose, SOURCE).filter((name) => !isEndOfPath(tree, name))
          : namesIn(prose, FROM_ROOT).filter((name) => !tree.exists(name))),
        ...(path.endsWith("/README.md")
          ? namesIn(prose, OF_PACKAGE).filter((name) => !tree.exists(posix.join(posix.dirname(path), name)))
          : []),
      ];
      return [...new Set(missing)].map((name) => `${path}: ${name} does not exist`);
    });

function namesIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, name = ""]) => name);
}

function isEndOfPath({ paths }: DocumentTree, name: string): boolean {
  return paths.some((path) => path === name || path.endsWith(`/${name}`));
}
