import { Badge } from "../../components/badge.tsx";

export interface LiveBadgeProps {
  readonly isLive: boolean | undefined;
  readonly isPaused: boolean;
}

export function LiveBadge({ isLive, isPaused }: LiveBadgeProps) {
  if (isPaused) return <Badge tone="thinking">Paused</Badge>;
  if (isLive === undefined) return <Badge>Connecting</Badge>;
  if (!isLive) return <Badge tone="bad">Not connected</Badge>;
  return (
    <Badge tone="good">
      <span aria-hidden className="size-2 animate-pulse-soft rounded-full bg-good" />
      Live
    </Badge>
  );
}
