const HEADING = /^(#+) (.*)$/;
const FILE = /`([\w./-]+\.(?:ts|sql))`/g;

/** The files that the section about a call names, in order; null when the page has no heading with the name of the call. */
export function listCallFiles(page: string, call: string): string[] | null {
  const lines = page.split("\n");
  const start = lines.findIndex((line) => HEADING.test(line) && line.includes(call));
  if (start < 0) return null;
  const level = HEADING.exec(lines[start] ?? "")?.[1]?.length ?? 0;
  const length = lines.slice(start + 1).findIndex((line) => (HEADING.exec(line)?.[1]?.length ?? Infinity) <= level);
  const section = lines.slice(start + 1, length < 0 ? undefined : start + 1 + length).join("\n");
  return [...new Set(Array.from(section.matchAll(FILE), ([, file = ""]) => file))];
}
