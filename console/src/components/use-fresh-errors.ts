import { useState } from "react";

type Errors = Readonly<Record<string, string>>;

interface FreshErrors {
  readonly errors: Errors;
  /** Marks a field as changed: removes its errors and those of its nested fields. */
  touch(field: string): void;
}

/** The field errors of the last response, without those of fields that have changed since. */
export function useFreshErrors(reported: Errors): FreshErrors {
  const [touched, setTouched] = useState<{ readonly of: Errors; readonly fields: readonly string[] }>({
    of: reported,
    fields: [],
  });
  const fields = touched.of === reported ? touched.fields : [];
  const isStale = (name: string) => fields.some((field) => name === field || name.startsWith(`${field}.`));
  return {
    errors: Object.fromEntries(Object.entries(reported).filter(([name]) => !isStale(name))),
    touch: (field) =>
      setTouched((old) => ({
        of: reported,
        fields: old.of === reported ? [...new Set([...old.fields, field])] : [field],
      })),
  };
}
