import type { DocumentRule } from "./rule.ts";

const REQUIRED_PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/README.md"];

/** The pages that a newcomer opens first exist, and the changelog has a place for what is not yet released. */
export const checkFrontPages: DocumentRule = ({ pages }) => {
  const missing = REQUIRED_PAGES.filter((path) => !pages.has(path)).map((path) => `${path}: is missing`);
  const firstRelease = /^## .*$/m.exec(pages.get("CHANGELOG.md") ?? "")?.[0];
  const isOpen =
    firstRelease === undefined ? !pages.has("CHANGELOG.md") : /^## \[?Unreleased\]?\s*$/.test(firstRelease);
  return isOpen ? missing : [...missing, 'CHANGELOG.md: the first heading of level two must be "## Unreleased"'];
};

/** A command that a page tells the reader to type is one that package.json has. */
export const checkCommands: DocumentRule = ({ pages, scripts }) =>
  [...pages].flatMap(([path, text]) =>
    [...text.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)]
      .map(([, script, short]) => script ?? short ?? "")
      .filter((script) => !scripts.has(script))
      .map((script) => `${path}: package.json has no script "${script}"`),
  );
