import type { ReactNode } from "react";
import type { Failure } from "../../data/failure.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";

interface SaveCardProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** "Save", "Change password" */
  readonly action: string;
  readonly isBusy: boolean;
  /** The form can be submitted. */
  readonly isReady: boolean;
  readonly failure: Failure | null;
  onSubmit(): void;
  readonly children: ReactNode;
}

/** A card with a form. Shows errors that belong to no field above the fields. */
export function SaveCard(props: SaveCardProps) {
  const { title, description, action, isBusy, isReady, failure, onSubmit, children } = props;
  const isGeneral = failure !== null && Object.keys(failure.fields).length === 0;
  return (
    <CardSection title={title} description={description}>
      <form
        className="grid gap-4"
        aria-label={title}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady && !isBusy) onSubmit();
        }}
      >
        {isGeneral && <Banner tone="bad">{failure.message}</Banner>}
        {children}
        <div>
          <Button type="submit" variant={isReady ? "primary" : "plain"} isBusy={isBusy} disabled={!isReady}>
            {action}
          </Button>
        </div>
      </form>
    </CardSection>
  );
}
