import { useEffect, useRef } from "react";
import { useLocation } from "react-router";

/** Going to another scene moves the focus there, so that who cannot see the change hears it. Not on the first load. */
export function useSceneFocus(): void {
  const { pathname } = useLocation();
  const scene = pathname.split("/")[1] ?? "";
  const last = useRef(scene);
  useEffect(() => {
    if (last.current === scene) return;
    last.current = scene;
    document.getElementById("scene")?.focus({ preventScroll: true });
  }, [scene]);
}
