import { useHeldCopy } from "../data/held-copy.ts";
import { Banner } from "../components/banner.tsx";
import { Code } from "../components/code-block.tsx";

/** Nothing leaves a restored copy, so that its original can go on; whoever looks at it has to know. */
export function HeldCopyBanner() {
  if (!useHeldCopy()) return null;
  return (
    <div className="px-4 pt-3 sm:px-8">
      <Banner tone="warning">
        This is a restored copy: webhook deliveries, agent runs and mails are held until its operator runs{" "}
        <Code>swarmbase resume</Code>
      </Banner>
    </div>
  );
}
