interface SparklineProps {
  /** What it shows and how it ends: screen readers get no other text. */
  readonly label: string;
  readonly values: readonly number[];
}

const WIDTH = 240;
const HEIGHT = 48;
const GAP = 3;
/** A day without a value still has its place. */
const MIN_BAR = 2;

/** One bar per value, the last one in the accent colour. */
export function Sparkline({ label, values }: SparklineProps) {
  const top = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-12 w-full"
    >
      {values.map((value, index) => {
        const height = Math.max(MIN_BAR, (value / top) * HEIGHT);
        return (
          <rect
            key={index}
            x={index * step}
            y={HEIGHT - height}
            width={step - GAP}
            height={height}
            rx={1.5}
            className={index === values.length - 1 ? "fill-accent" : "fill-line-strong"}
          />
        );
      })}
    </svg>
  );
}
