import { applyPlan } from "../apply/apply-plan.ts";
import { findMissing, renderPlan } from "../plan/render-plan.ts";
import type { Session } from "../service/connect.ts";
import { type Context, readOptions } from "./options.ts";
import { makePlan, requireResources } from "./plan-command.ts";
import { confirm, type Output, withFolderSession } from "./run.ts";

const EXIT_FAULT = 1;

export async function runApply(context: Context): Promise<number> {
  const values = readOptions(context, ["write-secrets", "yes"]);
  const resources = await requireResources(values.folder);
  const work = async (session: Session, output: Output): Promise<number> => {
    const plan = await makePlan(resources, { context, values, session, output });
    output.print(renderPlan(plan));
    if (plan.steps.length === 0) return 0;
    if (findMissing(plan.steps).length > 0) {
      context.stderr.write("Nothing was changed: set the variables first.\n");
      return EXIT_FAULT;
    }
    if (values.yes !== true && !(await confirm(context, "\nApply these changes?"))) {
      context.stderr.write("Nothing was changed. Without a terminal, pass --yes.\n");
      return EXIT_FAULT;
    }
    output.print("\n");
    const { done, failed, skipped } = await applyPlan(plan, {
      client: session.client,
      signal: context.signal,
      report: (line) => output.print(`${line}\n`),
    });
    const isComplete = failed + skipped === 0;
    output.print(
      isComplete
        ? "\nApplied. The service has what the files describe.\n"
        : `\n${done} done, ${failed} failed, ${skipped} skipped. The next apply continues with the rest.\n`,
    );
    return isComplete ? 0 : EXIT_FAULT;
  };
  return withFolderSession(context, values, work, { createsOwner: true });
}
