/** A JSON text that is passed on without being parsed. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Like `JSON.stringify`, for a value whose members can be raw. */
export function stringifyMembers(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value);
  if (!members.some(([, member]) => member instanceof RawJson)) return JSON.stringify(value);
  const texts = members.map(([name, member]: [string, unknown]) => {
    return `${JSON.stringify(name)}:${member instanceof RawJson ? member.text : JSON.stringify(member)}`;
  });
  return `{${texts.join(",")}}`;
}
