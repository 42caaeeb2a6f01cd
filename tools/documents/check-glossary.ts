import type { DocumentRule } from "./rule.ts";

const PAGE = "docs/glossary.md";
const ROW = /^\| (?!term \|)([^|-][^|]*) \|/gm;

/** The glossary has each term once: a word with two meanings says which one, as in "signal, of a run". */
export const checkGlossary: DocumentRule = ({ pages }) => {
  const terms = [...(pages.get(PAGE) ?? "").matchAll(ROW)].map(([, term = ""]) => term);
  const repeated = terms.filter((term, index) => terms.indexOf(term) < index);
  return repeated.map((term) => `${PAGE}: has "${term}" twice`);
};
