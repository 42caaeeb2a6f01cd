import { escapeControls } from "./render-table.ts";
import { printCells, type Session } from "./session.ts";
import { COLUMNS, FIND_RELATIONS, LISTS, PARTS } from "./sql/describe-objects.ts";

const BACKSLASH_HELP = `\\d              tables, views and sequences
\\d <name>       one of them: columns, indexes, constraints, policies, triggers, privileges
\\dt \\dv \\ds     tables, views, sequences; with a pattern: \\dt auth.*
\\df \\dn         functions, schemas
\\i <file>       run the statements of a file
\\x              show each value on a line of its own, or no longer
\\r              forget the statement that was begun
\\q              quit
A statement ends with a semicolon.
`;

type BackslashResult = "done" | "failed" | "quit" | "forget" | { readonly include: string };

/** Runs a line that begins with a backslash. Files are left to the caller. */
export async function runBackslash(session: Session, line: string): Promise<BackslashResult> {
  const [, name = "", argument = ""] = /^\\(\S*)\s*(.*?)[\s;]*$/.exec(line) ?? [];
  const fail = (message: string): BackslashResult => {
    session.stderr.write(`${message}\n`);
    return "failed";
  };
  if (name === "q") return "quit";
  if (name === "r") return "forget";
  if (name === "x") {
    session.isExpanded = !session.isExpanded;
    return "done";
  }
  if (name === "?") {
    session.stdout.write(BACKSLASH_HELP);
    return "done";
  }
  if (name === "i") {
    const file = argument.replace(/^'(.*)'$/, "$1");
    return file === "" ? fail("\\i needs the name of a file.") : { include: file };
  }
  try {
    if (name === "d" && argument !== "")
      return (await describeRelations(session, toPattern(argument)))
        ? "done"
        : fail(`There is no table, view or sequence ${escapeControls(argument)}.`);
    if (Object.hasOwn(LISTS, name)) {
      await list(session, name as keyof typeof LISTS, argument === "" ? null : toPattern(argument));
      return "done";
    }
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
  return fail(`Unknown command \\${escapeControls(name)}. \\? lists the commands.`);
}

/** `*` and `?` as in a shell; everything else stands for itself. Unquoted names are in lower case. */
function toPattern(argument: string): string {
  const parts = [...argument.matchAll(/"((?:[^"]|"")*)"|[^"]+/g)].map(([whole, quoted]) =>
    quoted === undefined
      ? whole
          .toLowerCase()
          .replaceAll(/[\\%_]/g, "\\$&")
          .replaceAll("*", "%")
          .replaceAll("?", "_")
      : quoted.replaceAll('""', '"').replaceAll(/[\\%_]/g, "\\$&"),
  );
  return parts.join("");
}

async function list(
  { client, stdout, isExpanded }: Session,
  name: keyof typeof LISTS,
  pattern: string | null,
): Promise<void> {
  const { fields, rows } = await client.query<(string | null)[]>({
    text: LISTS[name],
    values: [pattern],
    rowMode: "array",
  });
  stdout.write(
    printCells({ columns: fields.map((field) => ({ name: field.name, isNumber: false })), rows }, isExpanded),
  );
}

async function describeRelations({ client, stdout }: Session, pattern: string): Promise<boolean> {
  const found = await client.query<{ oid: number; name: string }>(FIND_RELATIONS, [pattern]);
  for (const { oid, name } of found.rows) {
    const { fields, rows } = await client.query<(string | null)[]>({ text: COLUMNS, values: [oid], rowMode: "array" });
    stdout.write(`${escapeControls(name)}\n`);
    stdout.write(
      printCells({ columns: fields.map((field) => ({ name: field.name, isNumber: false })), rows }).replace(
        /\(\d+ rows?\)\n$/,
        "",
      ),
    );
    for (const [title, statement] of PARTS) {
      const { rows: lines } = await client.query<{ line: string }>(statement, [oid]);
      if (lines.length === 0) continue;
      stdout.write(
        `${title}:\n${lines.map(({ line }) => `    ${line.split("\n").map(escapeControls).join("\n    ")}\n`).join("")}`,
      );
    }
    stdout.write("\n");
  }
  return found.rows.length > 0;
}
