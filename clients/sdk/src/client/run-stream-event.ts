import type { RunStreamEventData } from "../function-types/stream-events.ts";
import type { RunStreamEventType } from "../runs.ts";

/** One event of the stream of a run. */
export interface RunStreamEventOf<Type extends RunStreamEventType> {
  /** The number of the event in its run; null for `warnings`. */
  readonly id: number | null;
  readonly type: Type;
  readonly data: RunStreamEventData[Type];
}

/** Any event of the stream of a run; `type` discriminates the union. A newer service can have further types. */
export type RunStreamEvent = { [Type in RunStreamEventType]: RunStreamEventOf<Type> }[RunStreamEventType];
