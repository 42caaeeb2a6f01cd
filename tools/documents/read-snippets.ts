/** A tested block of code: a file to save, or a command with its output. */
export type Snippet = FileSnippet | ConsoleSnippet;

interface FileSnippet {
  readonly kind: "file";
  readonly line: number;
  /** The name in its first line: `// hello.mjs`, `// main.go`, `# hello.py`, `-- seed.sql` or `# agent.yaml`. Other SQL and YAML is not saved. */
  readonly name: string;
  readonly text: string;
}

interface ConsoleSnippet {
  readonly kind: "console";
  readonly line: number;
  readonly commands: readonly ConsoleCommand[];
}

export interface ConsoleCommand {
  /** The text after `$ `, with continuation lines after a backslash. */
  readonly text: string;
  readonly output: readonly string[];
}

const FENCE = /^```(\w+)\n([\s\S]*?)^```$/gm;
/** How the first line of a file names it, by the language of the block. */
const FILE_NAMES: ReadonlyMap<string | undefined, RegExp> = new Map([
  ["js", /^\/\/ ([\w.-]+\.mjs)\n/],
  ["go", /^\/\/ ([\w.-]+\.go)\n/],
  ["sql", /^-- ([\w./-]+\.sql)\n/],
  ["python", /^# ([\w.-]+\.py)\n/],
  ["yaml", /^# ([\w./-]+\.yaml)\n/],
]);
const MAY_BE_PARTS: ReadonlySet<string | undefined> = new Set(["sql", "yaml"]);

/** The snippets of a page in order. Blocks of other languages are not tested. */
export function readSnippets(page: string): readonly Snippet[] {
  return [...page.matchAll(FENCE)].flatMap(({ 1: language, 2: text = "", index }): Snippet[] => {
    const line = page.slice(0, index).split("\n").length;
    if (language === "console") return [{ kind: "console", line, commands: readCommands(text, line) }];
    const pattern = FILE_NAMES.get(language);
    if (pattern === undefined) return [];
    const name = pattern.exec(text)?.[1];
    if (name === undefined && MAY_BE_PARTS.has(language)) return [];
    if (name === undefined) throw new Error(`line ${line}: a block of ${language} begins with the name of its file`);
    return [{ kind: "file", line, name, text }];
  });
}

function readCommands(text: string, line: number): ConsoleCommand[] {
  const commands: { text: string; output: string[] }[] = [];
  for (const each of text.replace(/\n$/, "").split("\n")) {
    const last = commands.at(-1);
    if (each.startsWith("$ ")) commands.push({ text: each.slice(2), output: [] });
    else if (last === undefined) throw new Error(`line ${line}: a block of console begins with "$ " and a command`);
    else if (last.output.length === 0 && last.text.endsWith("\\")) last.text += `\n${each}`;
    else last.output.push(each);
  }
  return commands;
}
