import { type Expression, type Node, type Program, parseSync } from "oxc-parser";

/** Answers whether a name is declared in a source file. */
export type SymbolTable = (name: string) => boolean;

/**
 * The symbols of a source file; null when files of its kind have none that can be checked.
 *
 * - TypeScript: what the top level declares or exports, and below it members of object literals, classes and types, as
 *   in `LIMITS.api`.
 * - SQL: what the file creates (tables, functions, policies, triggers, views, indexes, constraints), with or without its
 *   schema, and columns of the tables that it creates or alters, as in `agents.name`.
 */
export function readSymbols(path: string, text: string): SymbolTable | null {
  if (/\.tsx?$/.test(path)) return readTypeScript(path, text);
  return path.endsWith(".sql") ? readSql(text) : null;
}

function readTypeScript(path: string, text: string): SymbolTable {
  const { program, module } = parseSync(path, text);
  const declared = collectDeclarations(program);
  const exported = new Set(
    module.staticExports.flatMap(({ entries }) => entries.map(({ exportName }) => exportName.name)),
  );
  return (name) => {
    const [first = ""] = name.split(".");
    if (name === first) return declared.has(first) || exported.has(first);
    const node = declared.get(first);
    return node !== undefined && hasMember(node, name.slice(first.length + 1));
  };
}

/** Top-level names with the node that has their members. */
function collectDeclarations({ body }: Program): Map<string, Node | null> {
  const found = new Map<string, Node | null>();
  for (const statement of body) {
    const isExport = statement.type === "ExportNamedDeclaration";
    const node = isExport ? statement.declaration : statement;
    switch (node?.type) {
      case "VariableDeclaration":
        for (const { id, init } of node.declarations)
          for (const name of namesOf(id)) found.set(name, id.type === "Identifier" ? init : null);
        break;
      case "FunctionDeclaration":
      case "ClassDeclaration":
      case "TSInterfaceDeclaration":
      case "TSTypeAliasDeclaration":
        if (node.id !== null) found.set(node.id.name, node);
        break;
      default:
        break;
    }
  }
  return found;
}

function namesOf(pattern: Node): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ArrayPattern":
      return pattern.elements.flatMap((element) => (element === null ? [] : namesOf(element)));
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        namesOf(property.type === "RestElement" ? property.argument : property.value),
      );
    case "AssignmentPattern":
      return namesOf(pattern.left);
    default:
      return [];
  }
}

/** Keys can contain dots, such as `agents.name`, so that a path is matched key by key. */
function hasMember(node: Node | null, path: string): boolean {
  return membersOf(node).some(
    ([key, value]) => key === path || (path.startsWith(`${key}.`) && hasMember(value, path.slice(key.length + 1))),
  );
}

function membersOf(node: Node | null): (readonly [key: string, value: Node | null])[] {
  switch (node?.type) {
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return membersOf(node.expression);
    case "CallExpression":
      return node.arguments.flatMap((argument) => membersOf(argument));
    case "ObjectExpression":
      return node.properties.flatMap((property) =>
        property.type === "Property" ? keyed(property.key, property.value) : [],
      );
    case "ClassDeclaration":
      return node.body.body.flatMap((member) => ("key" in member ? keyed(member.key, null) : []));
    case "TSInterfaceDeclaration":
      return node.body.body.flatMap((member) => ("key" in member ? keyed(member.key, null) : []));
    case "TSTypeAliasDeclaration":
      return membersOf(node.typeAnnotation);
    case "TSTypeLiteral":
      return node.members.flatMap((member) => ("key" in member ? keyed(member.key, null) : []));
    default:
      return [];
  }
}

function keyed(key: Node, value: Expression | Node | null): (readonly [string, Node | null])[] {
  if (key.type === "Identifier") return [[key.name, value]];
  return key.type === "Literal" ? [[String(key.value), value]] : [];
}

const NAME = String.raw`"?([\w.]+)"?`;
const CREATED = new RegExp(
  String.raw`\bcreate\s+(?:or\s+replace\s+)?(?:constraint\s+|unique\s+|materialized\s+)*` +
    String.raw`(?:function|procedure|table|policy|trigger|view|index|type|sequence|publication|role|schema)\s+` +
    String.raw`(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?${NAME}`,
  "gi",
);
const CONSTRAINT = new RegExp(String.raw`\bconstraint\s+(?!trigger\b)${NAME}`, "gi");
const TABLE = new RegExp(String.raw`\bcreate\s+table\s+(?:if\s+not\s+exists\s+)?${NAME}\s*\(([^]*?)\n\s*\)`, "gi");
const ADDED_COLUMN = new RegExp(
  String.raw`\balter\s+table\s+(?:only\s+)?${NAME}[^;]*?\badd\s+column\s+(?:if\s+not\s+exists\s+)?${NAME}`,
  "gi",
);

function readSql(text: string): SymbolTable {
  // Bodies of functions and comments define nothing.
  const plain = text.replace(/\$(\w*)\$[^]*?\$\1\$/g, "''").replace(/--.*$/gm, "");
  const names = new Set<string>();
  const add = (name: string): void => {
    names.add(name);
    names.add(name.replace(/^\w+\.(?=\w)/, ""));
  };
  for (const [, name = ""] of plain.matchAll(CREATED)) add(name);
  for (const [, name = ""] of plain.matchAll(CONSTRAINT)) names.add(name);
  const addColumn = (table: string, column: string): void => {
    names.add(`${table}.${column}`);
    names.add(`${table.replace(/^\w+\./, "")}.${column}`);
  };
  for (const [, table = "", body = ""] of plain.matchAll(TABLE))
    for (const [, column = ""] of body.matchAll(/^ {2}"?(\w+)"? /gm))
      if (column !== "constraint") addColumn(table, column);
  for (const [, table = "", column = ""] of plain.matchAll(ADDED_COLUMN)) addColumn(table, column);
  return (name) => names.has(name);
}
