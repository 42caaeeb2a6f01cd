import { clsx } from "clsx";
import type { ReactNode } from "react";

/** A placeholder while content loads. Set width and height with classes. */
export function Skeleton({ className }: { readonly className?: string }) {
  return (
    <div
      aria-hidden
      className={clsx(
        "animate-shimmer rounded-md bg-[length:200%_100%]",
        "bg-[linear-gradient(90deg,var(--hover)_25%,var(--line)_50%,var(--hover)_75%)]",
        className,
      )}
    />
  );
}

/** Announces to screen readers that content is loading. */
function Loading({ children, className }: { readonly children: ReactNode; readonly className: string }) {
  return (
    <div role="status" className={className}>
      <span className="sr-only">Loading …</span>
      {children}
    </div>
  );
}

export function ListSkeleton({ rows = 6 }: { readonly rows?: number }) {
  return (
    <Loading className="grid divide-y divide-line rounded-lg border border-line bg-surface">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="flex items-center gap-3 p-4">
          <Skeleton className="size-9 rounded-full" />
          <div className="grid flex-1 gap-2">
            <Skeleton className="h-3.5 w-2/5" />
            <Skeleton className="h-3 w-3/5" />
          </div>
        </div>
      ))}
    </Loading>
  );
}

export function CardsSkeleton({ cards = 6 }: { readonly cards?: number }) {
  return (
    <Loading className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
      {Array.from({ length: cards }, (_, index) => (
        <div key={index} className="grid gap-3 rounded-lg border border-line bg-surface p-4">
          <div className="flex items-center gap-3">
            <Skeleton className="size-10 rounded-lg" />
            <Skeleton className="h-4 w-1/2" />
          </div>
          <Skeleton className="h-3 w-full" />
          <Skeleton className="h-3 w-2/3" />
        </div>
      ))}
    </Loading>
  );
}

export function PageSkeleton() {
  return (
    <Loading className="grid gap-6">
      <Skeleton className="h-8 w-48" />
      <Skeleton className="h-40 w-full rounded-lg" />
      <Skeleton className="h-40 w-full rounded-lg" />
    </Loading>
  );
}
