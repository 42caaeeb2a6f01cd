import type { DocumentRule } from "./rule.ts";

const REQUIRED_PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/README.md"];

/** The front pages exist, and the changelog has an "Unreleased" section. */
export const checkFrontPages: DocumentRule = ({ pages }) => {
  const missing = REQUIRED_PAGES.filter((path) => !pages.has(path)).map((path) => `${path}: is missing`);
  const firstRelease = /^## .*$/m.exec(pages.get("CHANGELOG.md") ?? "")?.[0];
  const isOpen =
    firstRelease === undefined ? !pages.has("CHANGELOG.md") : /^## \[?Unreleased\]?\s*$/.test(firstRelease);
  return isOpen ? missing : [...missing, 'CHANGELOG.md: the first heading of level two must be "## Unreleased"'];
};

/** Every npm script that a page mentions exists in package.json. */
export const checkCommands: DocumentRule = ({ pages, scripts }) =>
  [...pages].flatMap(([path, text]) =>
    [...text.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)]
      .map(([, script, short]) => script ?? short ?? "")
      .filter((script) => !scripts.has(script))
      .map((script) => `${path}: package.json has no script "${script}"`),
  );
