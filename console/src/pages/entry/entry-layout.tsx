import { Navigate, Outlet, useLocation } from "react-router";
import { useSessionState } from "../../data/session.ts";
import { Banner } from "../../components/banner.tsx";
import { Logo } from "../../components/logo.tsx";
import { SwarmPicture } from "./swarm-picture.tsx";
import { readFrom, readKeptFrom } from "./where-from.ts";

/** The frame of the pages for signed-out users. Redirects signed-in users to the page that they requested. */
export function EntryLayout() {
  const { session, needsSecondFactor, isRecovering, hasExpired } = useSessionState();
  const location = useLocation();
  const from = location.pathname === "/welcome" ? readKeptFrom() : readFrom(location.state);
  const isOnPassword = location.pathname === "/new-password";
  if (isRecovering && !isOnPassword) return <Navigate to="/new-password" replace />;
  if (session !== null && !isOnPassword) return <Navigate to={from} replace />;
  if (needsSecondFactor && location.pathname !== "/second-factor")
    return <Navigate to="/second-factor" replace state={{ from }} />;
  return (
    <div className="grid min-h-dvh lg:grid-cols-[minmax(0,1fr)_minmax(0,1.1fr)]">
      <div className="flex min-w-0 flex-col px-5 py-6 sm:px-10">
        <header className="flex items-center gap-2.5 text-lg font-semibold">
          <Logo />
          Swarmbase
        </header>
        <main className="mx-auto flex w-full max-w-sm flex-1 flex-col justify-center gap-6 py-10">
          {hasExpired && <Banner tone="note">Your session has ended. Sign in to return to your page.</Banner>}
          <Outlet />
        </main>
      </div>
      <aside aria-hidden className="relative hidden overflow-hidden border-l border-line bg-sunken lg:block">
        <SwarmPicture />
      </aside>
    </div>
  );
}
