export type ArrayItem = string | null | ArrayItem[];

/** Parses an array literal such as `{1,NULL,"a b",{2}}`, with optional bounds. Null when the text is none. */
export function parseArray(text: string, delimiter: string): ArrayItem[] | null {
  const start = text.indexOf("{");
  if (start === -1 || (start > 0 && !/^(\[-?\d+:-?\d+\])+=$/.test(text.slice(0, start)))) return null;
  let at = start;
  const readList = (): ArrayItem[] => {
    const items: ArrayItem[] = [];
    at += 1;
    while (at < text.length && text[at] !== "}") {
      items.push(readItem());
      if (text[at] === delimiter) at += 1;
    }
    at += 1;
    return items;
  };
  const readItem = (): ArrayItem => {
    if (text[at] === "{") return readList();
    if (text[at] === '"') return readQuoted();
    const from = at;
    while (at < text.length && text[at] !== delimiter && text[at] !== "}") at += 1;
    const word = text.slice(from, at);
    return word === "NULL" ? null : word;
  };
  const readQuoted = (): string => {
    let value = "";
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) {
      if (text[at] === "\\") at += 1;
      value += text[at] ?? "";
    }
    at += 1;
    return value;
  };
  return readList();
}

/** Parses a row literal such as `(1,"a ""b""",)`; an empty field is null. */
export function parseComposite(text: string): (string | null)[] {
  const fields: (string | null)[] = [];
  let value: string | null = null;
  let isQuoted = false;
  for (let at = 1; at < text.length; at += 1) {
    const letter = text[at] ?? "";
    if (!isQuoted && (letter === "," || letter === ")")) {
      fields.push(value);
      value = null;
    } else if (letter === '"') {
      if (isQuoted && text[at + 1] === '"') {
        value = `${value ?? ""}"`;
        at += 1;
      } else {
        isQuoted = !isQuoted;
        value ??= "";
      }
    } else {
      if (letter === "\\") at += 1;
      value = (value ?? "") + (text[at] ?? "");
    }
  }
  return fields;
}
