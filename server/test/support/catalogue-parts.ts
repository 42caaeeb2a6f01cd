// Parts of a catalogue, for tests of what describes one.
export { column, dataType, functionEntry, INTEGER, relation, TEXT } from "../rest/support/respond-stage.ts";
