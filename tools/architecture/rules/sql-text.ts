import { isProduct } from "../modules.ts";
import type { Fault, Rule } from "../rule.ts";
import { walk } from "../source-file.ts";

/** Keywords in lower or upper case: a sentence that begins with "Select" or "Update" is English. */
const SQL =
  /^\s*(select|SELECT)\s+\S|\b(select|SELECT)\b[^;]+\b(from|FROM)\s+\S|\b(insert\s+into|INSERT\s+INTO)\s+\S|\b(update\s+\S+\s+set|UPDATE\s+\S+\s+SET)\s+\S|\b(delete\s+from|DELETE\s+FROM)\s+\S/;

/** These talk to the server about connections and transactions, in short statements. */
const FOLDERS_WITH_SQL: readonly string[] = ["server/src/db/", "libraries/postgres/"];

/** SQL statements are in sql/ folders, one per file; only db/ and postgres may have SQL elsewhere. */
export const checkSqlText: Rule = ({ sources }) => {
  const faults: Fault[] = [];
  for (const { path, program, lineAt } of sources) {
    const isExempt = FOLDERS_WITH_SQL.some((folder) => path.startsWith(folder));
    if (!isProduct(path) || isExempt || path.split("/").slice(0, -1).includes("sql")) continue;
    walk(program, (node) => {
      const text =
        node.type === "TemplateLiteral"
          ? node.quasis.map(({ value }) => value.cooked ?? value.raw).join("?")
          : node.type === "Literal" && typeof node.value === "string"
            ? node.value
            : null;
      if (text !== null && SQL.test(text))
        faults.push({
          path,
          line: lineAt(node.start),
          message: "SQL text belongs in a sql/ folder, in db/ or in a migration",
        });
    });
  }
  return faults;
};
