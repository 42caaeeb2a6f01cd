import { type ReactNode, useEffect, useState } from "react";
import { useConnection } from "../data/connection.ts";
import { Banner } from "../components/banner.tsx";

const SECOND_MS = 1_000;
/** A shorter interruption is not reported. */
const LOST_AFTER_MS = 1_500;

/** Shown while the connection is lost or the rate limit is exceeded. */
export function ConnectionBanner() {
  const { isReachable, isLive, limitedUntil } = useConnection();
  const seconds = useSecondsUntil(limitedUntil);
  const isLost = useLasting(!isReachable || !isLive);
  if (isLost && !isReachable)
    return <Strip tone="bad">The connection is lost. Reconnecting; this page may be out of date.</Strip>;
  if (seconds > 0)
    return <Strip tone="warning">Too many requests. The service accepts the next one in {seconds} s.</Strip>;
  if (isLost) return <Strip tone="warning">Live updates are interrupted. Reconnecting.</Strip>;
  return null;
}

function Strip({ tone, children }: { readonly tone: "warning" | "bad"; readonly children: ReactNode }) {
  return (
    <div className="px-4 pt-3 sm:px-8">
      <Banner tone={tone}>{children}</Banner>
    </div>
  );
}

function useSecondsUntil(time: number): number {
  const [now, setNow] = useState(() => Date.now());
  const left = Math.ceil((time - now) / SECOND_MS);
  useEffect(() => {
    if (time <= Date.now()) return;
    setNow(Date.now());
    const timer = setInterval(() => {
      setNow(Date.now());
      if (Date.now() >= time) clearInterval(timer);
    }, SECOND_MS);
    return () => clearInterval(timer);
  }, [time]);
  return Math.max(0, left);
}

function useLasting(isSo: boolean): boolean {
  const [lasts, setLasts] = useState(false);
  useEffect(() => {
    if (!isSo) {
      setLasts(false);
      return;
    }
    const timer = setTimeout(() => setLasts(true), LOST_AFTER_MS);
    return () => clearTimeout(timer);
  }, [isSo]);
  return isSo && lasts;
}
