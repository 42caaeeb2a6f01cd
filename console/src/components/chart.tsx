import { lazy, Suspense } from "react";
import type { ChartProps } from "./chart-props.ts";
import { Skeleton } from "./skeleton.tsx";

const HEIGHT = 220;
const Drawn = lazy(async () => ({ default: (await import("./drawn-chart.tsx")).DrawnChart }));

/** A chart over time on a canvas, with its values in a table. */
export function Chart(props: ChartProps) {
  const { height = HEIGHT } = props;
  return (
    <Suspense
      fallback={
        <div style={{ height }}>
          <Skeleton className="h-full w-full" />
        </div>
      }
    >
      <Drawn {...props} height={height} />
    </Suspense>
  );
}
