import { Banner } from "../components/banner.tsx";
import { Code } from "../components/code-block.tsx";

/** Tells the user that a restored copy sends nothing while its original may still be running. */
export function HeldCopyBanner() {
  return (
    <div className="px-4 pt-3 sm:px-8">
      <Banner tone="warning">
        This is a restored copy: webhook deliveries, agent runs and mails are held until its operator runs{" "}
        <Code>swarmbase resume</Code>
      </Banner>
    </div>
  );
}
