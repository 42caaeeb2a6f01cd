import { posix } from "node:path";
import type { Content } from "../content/content.ts";

export const SITE = "/docs";

type ResolvedLink =
  | { readonly kind: "link"; readonly href: string }
  /** A file of the repository that is not on the site. */
  | { readonly kind: "file"; readonly path: string };

/** Resolves a link of a Markdown file, as a code host does, to an address on the site. */
export function resolveLink({ pages, attachments }: Content, from: string, href: string): ResolvedLink {
  if (/^(?:[a-z][a-z+.-]*:|#|\/)/i.test(href)) return { kind: "link", href };
  const [file = "", fragment] = href.split("#", 2);
  const path = posix.join(posix.dirname(from), decodeURI(file));
  const found = pages.get(path) ?? pages.get(posix.join(path, "README.md")) ?? attachments.get(path);
  if (found === undefined) return { kind: "file", path: path.replace(/\/$/, "") };
  return { kind: "link", href: toUrl(found) + (fragment === undefined ? "" : `#${fragment}`) };
}

/** The path on the origin of a path on the site. */
export function toUrl(sitePath: string): string {
  return sitePath === "" ? SITE : `${SITE}/${sitePath}`;
}
