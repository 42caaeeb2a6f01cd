/** Several values of a header as one, which is then no key, no token and no signature: which one was meant cannot be told. */
export function joinValues(value: string | string[] | undefined): string | undefined {
  return typeof value === "object" ? value.join(", ") : value;
}
