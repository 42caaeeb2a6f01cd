import type { DocumentRule } from "./rule.ts";

/** A generated page that was edited by hand, or not made again after a change, tells something that is not so. */
export const checkGenerated: DocumentRule = ({ pages, generated, readSource }) =>
  Object.entries(generated).flatMap(([path, render]) =>
    (pages.get(path) ?? readSource(path)) === render()
      ? []
      : [`${path}: differs from its source; run npm run docs:reference`],
  );
