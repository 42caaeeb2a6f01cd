import { type ComponentType, Suspense } from "react";
import { Navigate, useLocation } from "react-router";
import { isFirstStart, useSessionState } from "../data/session.ts";
import { Starting } from "./starting.tsx";

/** Redirects users who are not signed in to the sign-in page, which redirects them back. */
export function SessionGuard({ Shell }: { readonly Shell: ComponentType }) {
  const { session, needsSecondFactor, isRecovering } = useSessionState();
  const location = useLocation();
  const from = `${location.pathname}${location.search}${location.hash}`;
  if (needsSecondFactor) return <Navigate to="/second-factor" replace state={{ from }} />;
  if (isRecovering) return <Navigate to="/new-password" replace />;
  if (session === null) return <Navigate to={isFirstStart() ? "/sign-up" : "/sign-in"} replace state={{ from }} />;
  return (
    <Suspense fallback={<Starting />}>
      <Shell />
    </Suspense>
  );
}
