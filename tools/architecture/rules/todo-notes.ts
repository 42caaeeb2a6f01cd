import type { Rule } from "../rule.ts";

const NOTE = /\b(TODO|FIXME)\b/;

/** Open work is tracked in issues, not in comments. */
export const checkTodoNotes: Rule = ({ texts, sources }) => [
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

const MESSAGE = "no TODO or FIXME: do it, or open an issue";
