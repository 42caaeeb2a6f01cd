import type { DocumentRule } from "./rule.ts";

/** What the code has and a page is meant to list stands there. */
export const checkMentions: DocumentRule = ({ pages, mentions }) =>
  Object.entries(mentions).flatMap(([path, texts]) =>
    texts
      .filter((text) => !(pages.get(path) ?? "").includes(text))
      .map((text) => `${path}: does not have "${text.trim()}"`),
  );
