import { Navigate, Outlet, useLocation } from "react-router";
import { Banner } from "../../components/banner.tsx";
import { Logo } from "../../components/logo.tsx";
import { useSessionState } from "../../data/session.ts";
import { readFrom, readKeptFrom } from "./where-from.ts";

const NODES = [
  { x: 300, y: 250, r: 46, label: "You", tone: "accent" },
  { x: 470, y: 150, r: 34, label: "Ada", tone: "responding" },
  { x: 500, y: 360, r: 34, label: "Max", tone: "thinking" },
  { x: 150, y: 140, r: 30, label: "Lin", tone: "idle" },
  { x: 130, y: 370, r: 30, label: "Joe", tone: "good" },
] as const;

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

/** A decorative picture of users and agents in a swarm. */
function SwarmPicture() {
  const [center, ...others] = NODES;
  return (
    <svg viewBox="-140 -110 900 740" preserveAspectRatio="xMidYMid slice" className="absolute inset-0 size-full">
      <defs>
        <pattern id="dots" width="22" height="22" patternUnits="userSpaceOnUse">
          <circle cx="1.2" cy="1.2" r="1.2" fill="var(--line-strong)" />
        </pattern>
        <radialGradient id="glow" cx="48%" cy="48%" r="60%">
          <stop offset="0" stopColor="var(--accent)" stopOpacity="0.22" />
          <stop offset="1" stopColor="var(--accent)" stopOpacity="0" />
        </radialGradient>
      </defs>
      <rect x="-140" y="-110" width="900" height="740" fill="url(#dots)" opacity="0.7" />
      <rect x="-140" y="-110" width="900" height="740" fill="url(#glow)" />
      {others.map(({ x, y, label }) => (
        <path
          key={label}
          d={`M${center.x} ${center.y} Q ${(center.x + x) / 2} ${Math.min(center.y, y) - 10} ${x} ${y}`}
          stroke="var(--accent)"
          strokeOpacity="0.45"
          strokeWidth="1.6"
          strokeDasharray="5 6"
          fill="none"
        />
      ))}
      <path d="M470 150 Q 540 250 500 360" stroke="var(--line-strong)" strokeWidth="1.6" fill="none" />
      <path d="M150 140 Q 90 250 130 370" stroke="var(--line-strong)" strokeWidth="1.6" fill="none" />
      {NODES.map(({ x, y, r, label, tone }) => (
        <g key={label}>
          <circle cx={x} cy={y} r={r} fill="var(--raised)" stroke={`var(--${tone})`} strokeWidth="2" />
          <text x={x} y={y + 5} textAnchor="middle" fontSize={r > 40 ? 17 : 14} fontWeight="600" fill="var(--ink)">
            {label}
          </text>
          <circle
            cx={x + r * 0.72}
            cy={y - r * 0.72}
            r="6"
            fill={`var(--${tone})`}
            stroke="var(--sunken)"
            strokeWidth="2.5"
          />
        </g>
      ))}
    </svg>
  );
}
