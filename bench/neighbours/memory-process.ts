import { listDescendants } from "../agents/descendants.ts";
import { answerParent } from "../rest/child.ts";
import { readOwnBytes, readResidentBytes } from "../rest/process-usage.ts";

export type MemoryQuestion =
  | { readonly kind: "start"; readonly pid: number }
  | { readonly kind: "read" }
  | { readonly kind: "take peak" };

export interface MemoryAnswer {
  readonly nowMib: number;
  /** The largest value since the last "take peak". */
  readonly peakMib: number;
}

const POLL_MS = 250;
const MIB = 1024 * 1024;

let pid = 0;
let peakMib = 0;

answerParent<MemoryQuestion, MemoryAnswer>(async (question) => {
  if (question.kind === "start") {
    pid = question.pid;
    setInterval(read, POLL_MS);
  }
  const answer = { nowMib: read(), peakMib };
  if (question.kind === "take peak") peakMib = 0;
  return answer;
});

function read(): number {
  const nowMib = (readResidentBytes([pid]) + readOwnBytes(listDescendants(pid))) / MIB;
  peakMib = Math.max(peakMib, nowMib);
  return nowMib;
}
