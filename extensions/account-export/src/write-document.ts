import { isRecord } from "swarmbase/extension";
import { type AccountReader, readPages, type Row } from "./read-pages.ts";

export interface DocumentHead {
  readonly exported_at: string;
  readonly user: Readonly<Record<string, unknown>>;
}

/** The document in pieces. Each piece has at most one page of rows, and one row a line. It is valid JSON only as a whole. */
export async function* writeDocument(reader: AccountReader, head: DocumentHead): AsyncGenerator<string, void, void> {
  let text = `${JSON.stringify(head).slice(0, -1)},"tables":{`;
  let betweenTables = "\n";
  for (const [name, { omit = [] }] of Object.entries(reader.tables)) {
    text += `${betweenTables}${JSON.stringify(name)}:[`;
    betweenTables = ",\n";
    let betweenRows = "\n";
    for await (const rows of readPages(reader, name)) {
      for (const row of rows) {
        text += betweenRows + JSON.stringify(omit.reduce((rest, path) => without(rest, path.split(".")), row));
        betweenRows = ",\n";
      }
      yield text;
      text = "";
    }
    text += "]";
  }
  yield `${text}\n}}\n`;
}

function without(row: Row, [name = "", ...rest]: readonly string[]): Row {
  const { [name]: value, ...others } = row;
  if (rest.length === 0) return others;
  if (Array.isArray(value))
    return { ...row, [name]: value.map((item: unknown) => (isRecord(item) ? without(item, rest) : item)) };
  return isRecord(value) ? { ...row, [name]: without(value, rest) } : row;
}
