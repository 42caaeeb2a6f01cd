import { UsageError } from "swarmbase/extension";
import type { Resource } from "../files/check-resource.ts";
import { readFolder } from "../files/read-folder.ts";
import { buildPlan, findUserIds } from "../plan/build-plan.ts";
import type { Plan } from "../plan/plan.ts";
import { renderPlan } from "../plan/render-plan.ts";
import type { Session } from "../service/connect.ts";
import { readRemote } from "../service/read-remote.ts";
import { type Context, readOptions } from "./options.ts";
import { type Output, withFolderSession } from "./run.ts";

const EXIT_CHANGES = 2;
const EXIT_FAULT = 1;

export async function runPlan(context: Context): Promise<number> {
  try {
    const values = readOptions(context, ["write-secrets", "detailed-exitcode"]);
    const isDetailed = values["detailed-exitcode"] === true;
    const resources = await requireResources(values.folder);
    const show = async (session: Session, output: Output): Promise<number> => {
      const plan = await makePlan(resources, { context, values, session, output });
      output.print(renderPlan(plan));
      return isDetailed && plan.steps.length > 0 ? EXIT_CHANGES : 0;
    };
    return await withFolderSession(context, values, show, { createsOwner: true });
  } catch (error) {
    // 2 means changes here, so a wrong command line has to be something else.
    if (!(error instanceof UsageError) || !context.args.includes("--detailed-exitcode")) throw error;
    context.stderr.write(`${error.message}\n`);
    return EXIT_FAULT;
  }
}

/** Before anything is asked of the service: faults of the files need no service. */
export async function requireResources(folder: string): Promise<readonly Resource[]> {
  const { resources, exists } = await readFolder(folder);
  if (exists) return resources;
  throw new Error(`The folder ${folder} has no files. \`swarmbase pull\` writes them, --dir names another folder.`);
}

export async function makePlan(
  resources: readonly Resource[],
  on: {
    readonly context: Context;
    readonly values: ReturnType<typeof readOptions>;
    readonly session: Session;
    readonly output: Output;
  },
): Promise<Plan> {
  const { context, values, session, output } = on;
  const remote = await readRemote(session);
  const plan = buildPlan(resources, remote, {
    ownerId: session.owner.id,
    newOwner: session.owner.isNew ? session.owner.email : null,
    variables: context.env,
    deletes: values.delete === true,
    writesSecrets: values["write-secrets"] === true,
    writer: session.isService ? "service" : "user",
    userIds: await findUserIds(resources, session),
  });
  output.hide(plan.secrets);
  return plan;
}
