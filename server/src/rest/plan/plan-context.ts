import type { Catalogue } from "../catalogue/catalogue.ts";
import type { AnswerMedia } from "./negotiate.ts";
import type { Placeholders } from "./parameterise-request.ts";

/** Input of planning besides the request. */
export interface PlanContext {
  readonly catalogue: Catalogue;
  readonly media: AnswerMedia;
  readonly placeholders: Placeholders;
  /** The row cap replaces the limit of the root. */
  readonly isCapped: boolean;
  /** Planned and estimated counts are counted up to the count cap. */
  readonly isCountCapped?: boolean;
}
