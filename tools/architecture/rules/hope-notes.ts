import type { Rule } from "../rule.ts";

const NOTE = /\b(TODO|FIXME)\b/;

/** Work that is left is written where work is planned, not where nobody will look for it. */
export const checkHopeNotes: Rule = ({ texts, sources }) => [
  ...sources.flatMap(({ path, comments }) =>
    comments.filter(({ text }) => NOTE.test(text)).map(({ line }) => ({ path, line, message: MESSAGE })),
  ),
  ...[...texts].flatMap(([path, text]) =>
    path.endsWith(".sql")
      ? text
          .split("\n")
          .flatMap((line, index) => (NOTE.test(line) ? [{ path, line: index + 1, message: MESSAGE }] : []))
      : [],
  ),
];

const MESSAGE = "no notes of hope: do it, or open an issue";
