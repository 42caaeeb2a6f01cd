import type { DocumentRule } from "./rule.ts";

/** A page must contain everything that the code requires it to list. */
export const checkMentions: DocumentRule = ({ pages, mentions }) =>
  Object.entries(mentions).flatMap(([path, texts]) =>
    texts
      .filter((text) => !(pages.get(path) ?? "").includes(text))
      .map((text) => `${path}: does not have "${text.trim()}"`),
  );
