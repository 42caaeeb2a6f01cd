const FACTOR = Number(process.env["PROPERTY_FACTOR"] ?? 1);

/** How often a property is tried that takes the database for every try. `npm run test:system -- chaos` asks for more. */
export function propertyRuns(few: number): number {
  return few * FACTOR;
}
