import type { Catalogue } from "../catalogue/catalogue.ts";
import type { AnswerMedia } from "../respond/negotiate.ts";
import type { Slots } from "./lift-values.ts";

/** What planning needs to know beside the request. */
export interface PlanContext {
  readonly catalogue: Catalogue;
  readonly media: AnswerMedia;
  readonly slots: Slots;
  /** The row cap stands in place of the root's limit. */
  readonly isCapped: boolean;
}
