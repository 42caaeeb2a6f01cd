import { type ReactNode, useEffect, useState } from "react";
import { useConnection } from "../data/connection.ts";
import { Banner } from "../components/banner.tsx";

const SECOND_MS = 1_000;
/** A blink of the network is not worth a word. */
const PATIENCE_MS = 1_500;

/** Says that the connection is lost, or that the service wants a pause, for as long as it is so. */
export function ConnectionBanner() {
  const { isAnswered, isLive, limitedUntil } = useConnection();
  const seconds = useSecondsUntil(limitedUntil);
  const isLost = useLasting(!isAnswered || !isLive);
  if (isLost && !isAnswered)
    return <Strip tone="bad">The connection is lost. Trying again; what you see may be out of date.</Strip>;
  if (seconds > 0)
    return <Strip tone="warning">Too many requests. The service takes the next one in {seconds} s.</Strip>;
  if (isLost) return <Strip tone="warning">Changes do not arrive by themselves at the moment. Trying again.</Strip>;
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
    const timer = setTimeout(() => setLasts(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isSo]);
  return isSo && lasts;
}
