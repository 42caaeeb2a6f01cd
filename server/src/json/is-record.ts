export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether a value is an object as JSON has it. A request body that is not JSON is a Buffer, which is none. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}
