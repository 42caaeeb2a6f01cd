import { useEffect, useState } from "react";
import { formatExact } from "../../components/formats.ts";
import { Tooltip } from "../../components/tooltip.tsx";

const SECOND_MS = 1_000;

/** "in 42 s", updated every second, with the exact time on hover and focus. */
export function Countdown({ to }: { readonly to: string }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((Date.parse(to) - now) / SECOND_MS));
  return (
    <Tooltip text={formatExact(to)}>
      <time
        dateTime={to}
        // the exact time must be reachable by keyboard
        tabIndex={0}
        className="rounded-sm whitespace-nowrap tabular-nums"
      >
        {seconds === 0 ? "now" : `in ${formatRemaining(seconds)}`}
      </time>
    </Tooltip>
  );
}

function formatRemaining(seconds: number): string {
  const rest = String(seconds % 60).padStart(2, "0");
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${rest} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}
