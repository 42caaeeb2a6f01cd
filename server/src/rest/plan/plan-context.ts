import type { Catalogue } from "../catalogue/catalogue.ts";
import type { AnswerMedia } from "../respond/negotiate.ts";
import type { Placeholders } from "./parameterise-request.ts";

/** What planning needs to know beside the request. */
export interface PlanContext {
  readonly catalogue: Catalogue;
  readonly media: AnswerMedia;
  readonly placeholders: Placeholders;
  /** The row cap stands in place of the root's limit. */
  readonly isCapped: boolean;
}
