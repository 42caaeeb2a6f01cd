/** The row of a query that always returns one. */
export function getOnlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error("the server returned no row");
  return row;
}
