/** What check constraints say about single columns. */
export interface ColumnBounds {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
  readonly maxBytes?: number;
  readonly isObject?: true;
}

export interface Check {
  readonly table: string;
  readonly name: string;
  /** As `pg_get_constraintdef` renders it. */
  readonly definition: string;
}

interface ReadBounds {
  readonly column: string;
  readonly bounds: ColumnBounds;
}

const NAME = String.raw`"?(?<column>\w+)"?`;
const NUMBER = String.raw`(?<number>-?[\d.]+)(?:::\w+)?`;

type Reader = readonly [RegExp, (number: number, text: string) => ColumnBounds];

/** One term of a conjunction each. */
const TERMS: readonly Reader[] = [
  [new RegExp(`^char_length\\(${NAME}\\) >= ${NUMBER}$`), (minLength) => ({ minLength })],
  [new RegExp(`^char_length\\(${NAME}\\) <= ${NUMBER}$`), (maxLength) => ({ maxLength })],
  [new RegExp(`^octet_length\\(${NAME}::text\\) <= ${NUMBER}$`), (maxBytes) => ({ maxBytes })],
  [new RegExp(`^cardinality\\(${NAME}\\) >= ${NUMBER}$`), (minItems) => ({ minItems })],
  [new RegExp(`^cardinality\\(${NAME}\\) <= ${NUMBER}$`), (maxItems) => ({ maxItems })],
  [new RegExp(`^${NAME} >= ${NUMBER}$`), (minimum) => ({ minimum })],
  [new RegExp(`^${NAME} <= ${NUMBER}$`), (maximum) => ({ maximum })],
  [new RegExp(`^${NAME} > ${NUMBER}$`), (exclusiveMinimum) => ({ exclusiveMinimum })],
  [new RegExp(`^jsonb_typeof\\(${NAME}\\) = 'object'::text$`), () => ({ isObject: true })],
  [new RegExp(`^${NAME} ~ '(?<text>[^']+)'::text$`), (_, pattern) => ({ pattern })],
];

/** The bounds of one column that the check consists of; null when it is anything else. */
export function readBounds({ definition }: Check): ReadBounds | null {
  const inner = /^CHECK \((.*)\)$/s.exec(definition)?.[1];
  if (inner === undefined) return null;
  const found = inner.split(" AND ").map(readTerm);
  const [first] = found;
  if (first === undefined || first === null) return null;
  let bounds: ColumnBounds = {};
  for (const term of found) {
    if (term === null || term.column !== first.column) return null;
    bounds = { ...bounds, ...term.bounds };
  }
  return { column: first.column, bounds };
}

function readTerm(term: string): ReadBounds | null {
  for (const [pattern, read] of TERMS) {
    const groups = pattern.exec(term)?.groups;
    if (groups === undefined) continue;
    const { column = "", number = "", text = "" } = groups;
    return { column, bounds: read(Number(number), text) };
  }
  return null;
}
