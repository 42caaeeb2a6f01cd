/** The text above a declaration or a member, with its line break; empty without a text. */
export function renderDoc(text: string | null): string {
  if (text === null) return "";
  const lines = text.replaceAll("*/", String.raw`*\/`).split("\n");
  if (lines.length === 1) return `/** ${lines.join("")} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
}

/** Names in texts are not names of types. */
export function withoutDocs(code: string): string {
  return code.replaceAll(/\/\*\*.*?\*\//gs, "");
}
