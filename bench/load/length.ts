/** Options of every part: how long it measures. */
export const LENGTH_OPTIONS = {
  /** Short rounds, to see that it works beside those that it is compared with. */
  quick: { type: "boolean", default: false },
  /** One round as short as possible, without those that it is compared with: the tests run it. */
  smoke: { type: "boolean", default: false },
} as const;

export function pickLength<T>(
  { quick, smoke }: { readonly quick: boolean; readonly smoke: boolean },
  lengths: { readonly smoke: T; readonly quick: T; readonly full: T },
): T {
  if (smoke) return lengths.smoke;
  return quick ? lengths.quick : lengths.full;
}
