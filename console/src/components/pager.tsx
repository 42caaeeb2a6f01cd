import { Button } from "./button.tsx";
import { formatCount } from "./formats.ts";

interface PagerProps {
  readonly shown: number;
  readonly hasMore: boolean;
  readonly isBusy: boolean;
  onMore(): void;
  /** "deliveries" */
  readonly noun: string;
}

/** The end of a paginated list: a count, and a button that loads more rows for users who do not scroll. */
export function Pager({ shown, hasMore, isBusy, onMore, noun }: PagerProps) {
  return (
    <div className="flex items-center justify-between gap-3 px-4 py-3 text-sm text-ink-faint">
      <span role="status">
        {hasMore ? `${formatCount(shown)} ${noun} so far` : shown > 1 && `All ${formatCount(shown)} ${noun}`}
      </span>
      {hasMore && (
        <Button size="small" isBusy={isBusy} onClick={onMore}>
          Show more
        </Button>
      )}
    </div>
  );
}
