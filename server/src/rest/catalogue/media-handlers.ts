import type { MediaHandler, QualifiedName } from "./catalogue.ts";
import type { HandlerRow } from "./sql/select-catalogue.ts";

export const ANY_MEDIA = "*/*";
/** The name of a media type without parameters. */
const MEDIA_NAME = /^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/;

export function buildMediaHandlers(rows: readonly HandlerRow[]): readonly MediaHandler[] {
  return rows
    .map(({ schema, name, media, isBytes, targetSchema, targetName }) => ({
      function: { schema, name },
      target: targetSchema === null || targetName === null ? null : { schema: targetSchema, name: targetName },
      media: media.toLowerCase(),
      encoding: isBytes ? ("hex" as const) : ("text" as const),
    }))
    .filter(({ media }) => isMediaName(media));
}

export function isMediaName(name: string): boolean {
  return name === ANY_MEDIA || MEDIA_NAME.test(name);
}

/** The handlers of rows; those of a relation take its whole rows only. */
export function findMediaHandlers(
  handlers: readonly MediaHandler[],
  relation: QualifiedName | null,
  areWhole: boolean,
): readonly MediaHandler[] {
  const isOwn = ({ target }: MediaHandler): boolean =>
    areWhole && target !== null && target.schema === relation?.schema && target.name === relation.name;
  return [...handlers.filter(isOwn), ...handlers.filter(({ target }) => target === null)];
}
