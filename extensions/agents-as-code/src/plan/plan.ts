import type { Json, JsonObject } from "@swarmbase/sdk";
import type { FileFault, Place } from "../files/yaml-file.ts";
import type { Kind, KIND_WORDS } from "../model/kinds.ts";

export type Action = "create" | "update" | "delete";

export interface Change {
  /** `settings.temperature`. */
  readonly path: string;
  readonly before: Json | undefined;
  readonly after: Json | undefined;
  /** Neither value may be printed. */
  readonly isSecret: boolean;
}

/** One request that brings the service nearer to the files. */
export interface Step {
  readonly action: Action;
  readonly noun: (typeof KIND_WORDS)[Kind] | "account" | "assignment" | "grant" | "swarm agent" | "member";
  /** `ada`, or `ada → find_order`. */
  readonly title: string;
  /** Where the files describe it; null for what they do not have. */
  readonly place: Place | null;
  readonly changes: readonly Change[];
  /** `users` stands for the accounts. */
  readonly table: string;
  /** The row; null for a row whose id the service chooses. */
  readonly id: string | null;
  /** The state of the row that the plan was made from: when it no longer matches, the request changes nothing. */
  readonly filter: Readonly<Record<string, string>>;
  /** Columns of that state which are too long for a filter, to be read and compared before the request. */
  readonly expected?: JsonObject;
  readonly body: JsonObject | null;
  /** Ids of rows that steps before this one create. */
  readonly needs: readonly string[];
  /** Variables that must be set before the step can be made. */
  readonly missing: readonly string[];
  /** Finds the line of a field that the service rejects. */
  lineOf(field: string): Place | null;
}

export interface Plan {
  /** In the order of execution. */
  readonly steps: readonly Step[];
  /** What only `--delete` would remove. */
  readonly kept: readonly Step[];
  /** What a person should know: matches by name, variables that are not set. */
  readonly notes: readonly string[];
  readonly unchanged: number;
  /** Values that must not be printed. */
  readonly secrets: readonly string[];
}

/** What is collected while a plan is made. */
export interface Draft {
  readonly steps: Step[];
  readonly deletions: Step[];
  readonly notes: Set<string>;
  readonly faults: FileFault[];
  readonly secrets: Set<string>;
  /** Files that differ from the service in a way that no step can mend. */
  readonly outdated: Set<string>;
  unchanged: number;
}
