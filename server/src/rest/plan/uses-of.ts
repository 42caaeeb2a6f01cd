import type { Embed, Expression, Predicate, ReadNode } from "./plan.ts";

/** Something that a node evaluates on its rows. */
export type Use = Expression | Embed;

export function usesOf({ outputs, where, order }: ReadNode): readonly Use[] {
  return [
    ...outputs.flatMap((output): readonly Use[] => {
      switch (output.kind) {
        case "star":
          return [];
        case "value":
        case "aggregate":
          return output.value === null ? [] : [output.value];
        case "embed":
        case "spread":
          return [output.embed];
      }
    }),
    ...where.flatMap(usesOfPredicate),
    // The value of a related order term belongs to the rows of the embed.
    ...order.flatMap(({ by }) => (by.kind === "output" ? [] : [by.kind === "own" ? by.value : by.embed])),
  ];
}

export function usesOfPredicate(predicate: Predicate): readonly Use[] {
  switch (predicate.kind) {
    case "logic":
      return predicate.operands.flatMap(usesOfPredicate);
    case "exists":
      return [predicate.embed];
    default:
      return [predicate.left];
  }
}
