import type { ReactNode } from "react";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import type { Entry } from "./use-entry.ts";

interface EntryFormProps {
  readonly entry: Entry;
  /** "Sign in" */
  readonly action: string;
  readonly children?: ReactNode;
  onSubmit(): void;
}

export function EntryForm({ entry, action, children, onSubmit }: EntryFormProps) {
  const { failure, isBusy } = entry;
  const isGeneral = failure !== null && Object.keys(failure.fields).length === 0;
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onSubmit();
      }}
    >
      {isGeneral && <Banner tone="bad">{failure.message}</Banner>}
      {children}
      <Button type="submit" variant="primary" size="large" isBusy={isBusy}>
        {action}
      </Button>
    </form>
  );
}
