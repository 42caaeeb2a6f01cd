import { useState } from "react";

/** The row that a form edits: the newest one until the user changes a field, then the one that the user saw. */
export function useEditedRow<Row>(newest: Row, isTouched: boolean): Row {
  const [seen, setSeen] = useState(newest);
  if (isTouched || seen === newest) return seen;
  setSeen(newest);
  return newest;
}
