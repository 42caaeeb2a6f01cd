import { Logo } from "../components/logo.tsx";

/** What index.html shows before the first script has run, so that nothing moves when React takes over. */
export function Starting() {
  return (
    <div className="starting" role="status">
      <Logo size={40} />
      <p>Swarmbase is loading …</p>
    </div>
  );
}
