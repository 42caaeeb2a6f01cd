import { isTest, MAX_FUNCTION_LINES } from "../modules.ts";
import type { Fault, Rule } from "../rule.ts";
import { type SourceFile, walk } from "../source-file.ts";

const SQL_FILE = /^server\/functions\/[^/]+\.sql$/;
const SQL_FUNCTION = /^create (?:or replace )?(?:function|procedure) ([\w.]+)[^;]*?\sas (\$\w*\$)[\s\S]*?\2;/gm;

/** Functions of the database that are longer, and why they are not divided. */
const LONG_SQL_FUNCTIONS: Readonly<Record<string, string>> = {
  "private.fan_out_events": "one statement: between functions, the bodies of all deliveries would pass in arrays",
  "private.claim_webhook_deliveries": "its steps are functions; what remains are the columns that it takes and returns",
  "private.admit_runs": "its steps are functions; what remains is the order in which it takes their locks",
  "private.pause_run": "one loop numbers the events of all calls that the run waits for",
};

/** A long function does several things: each gets a function or a method of its own. */
export const checkFunctionSize: Rule = ({ sources, texts }) => [
  ...sources.flatMap((source) => findLongFunctions(source)),
  ...[...texts].flatMap(([path, text]) => (SQL_FILE.test(path) ? checkSqlFunctions(path, text) : [])),
];

function findLongFunctions({ path, text, program, lineAt }: SourceFile): Fault[] {
  if (isTest(path)) return [];
  const faults: Fault[] = [];
  walk(program, (node) => {
    const { type, start, end } = node;
    if (type !== "FunctionDeclaration" && type !== "FunctionExpression" && type !== "ArrowFunctionExpression") return;
    const count = text.slice(start, end).split("\n").length;
    if (count > MAX_FUNCTION_LINES) faults.push({ path, line: lineAt(start), message: describe(count) });
  });
  return faults;
}

function checkSqlFunctions(path: string, text: string): Fault[] {
  return [...text.matchAll(SQL_FUNCTION)].flatMap(({ 0: definition, 1: name = "", index }): Fault[] => {
    const count = definition.split("\n").length;
    const isListed = name in LONG_SQL_FUNCTIONS;
    if (count > MAX_FUNCTION_LINES === isListed) return [];
    const line = text.slice(0, index).split("\n").length;
    if (isListed) return [{ path, line, message: `${name} is short: it is no exception any more` }];
    return [{ path, line, message: `${name} has ${describe(count)}, or is listed with a reason` }];
  });
}

function describe(count: number): string {
  return `${count} lines; a function has at most ${MAX_FUNCTION_LINES}`;
}
