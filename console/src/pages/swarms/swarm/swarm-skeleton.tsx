import { Skeleton } from "../../../components/skeleton.tsx";

/** The layout of a swarm page while it loads. */
export function SwarmSkeleton() {
  return (
    <div data-fills role="status" className="flex h-[calc(100dvh-3.5rem)] flex-col lg:h-dvh">
      <span className="sr-only">Loading …</span>
      <div className="flex h-14 items-center gap-3 border-b border-line px-4 sm:px-6">
        <Skeleton className="h-5 w-44" />
      </div>
      <MessagesSkeleton />
    </div>
  );
}

export function MessagesSkeleton() {
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-1 flex-col justify-end gap-6 p-4 pb-32 sm:p-6">
      {["w-3/5", "w-4/5", "w-2/5"].map((width) => (
        <div key={width} className="flex gap-3">
          <Skeleton className="size-9 rounded-full" />
          <div className="grid flex-1 gap-2">
            <Skeleton className="h-3.5 w-24" />
            <Skeleton className={`h-3.5 ${width}`} />
            <Skeleton className="h-3.5 w-1/2" />
          </div>
        </div>
      ))}
    </div>
  );
}
