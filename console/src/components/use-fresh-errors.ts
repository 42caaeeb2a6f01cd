import { useState } from "react";

type Errors = Readonly<Record<string, string>>;

export interface FreshErrors {
  readonly errors: Errors;
  /** A field was changed: what was said about it, and about what lies in it, holds no more. */
  touch(field: string): void;
}

/** What the service said about the fields of a form, less those that were changed since. */
export function useFreshErrors(told: Errors): FreshErrors {
  const [touched, setTouched] = useState<{ readonly of: Errors; readonly fields: readonly string[] }>({
    of: told,
    fields: [],
  });
  const fields = touched.of === told ? touched.fields : [];
  const isStale = (name: string) => fields.some((field) => name === field || name.startsWith(`${field}.`));
  return {
    errors: Object.fromEntries(Object.entries(told).filter(([name]) => !isStale(name))),
    touch: (field) =>
      setTouched((old) => ({ of: told, fields: old.of === told ? [...new Set([...old.fields, field])] : [field] })),
  };
}
