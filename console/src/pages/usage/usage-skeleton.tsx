import { ListSkeleton, Skeleton } from "../../components/skeleton.tsx";

export function UsageSkeleton() {
  return (
    <div className="grid gap-4">
      <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
        {Array.from({ length: 4 }, (_, index) => (
          <Skeleton key={index} className="h-[6.4rem] rounded-lg" />
        ))}
      </div>
      <Skeleton className="h-[22rem] rounded-lg" />
      <ListSkeleton rows={4} />
    </div>
  );
}
