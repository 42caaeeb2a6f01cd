import type { Rule } from "../rule.ts";

const MAX_COLUMNS = 120;
const SCHEMA_FILE = /^server\/(migrations|functions)\/[^/]+\.sql$/;

/** The formatter keeps the lines of TypeScript within bounds; nothing does so for SQL. */
export const checkSqlLines: Rule = ({ texts }) =>
  [...texts]
    .filter(([path]) => SCHEMA_FILE.test(path))
    .flatMap(([path, text]) =>
      text.split("\n").flatMap((line, index) => {
        if (line.length <= MAX_COLUMNS) return [];
        return [{ path, line: index + 1, message: `${line.length} characters; at most ${MAX_COLUMNS}` }];
      }),
    );
