import { type CommandDatabase, type ExtensionCommandContext, type Query, UsageError } from "swarmbase/extension";
import { addOperator, listOperators, recordCall, removeOperator } from "./sql/operators.ts";

export const OPERATORS_HELP = `
Usage: swarmbase operators add <email or id>
       swarmbase operators remove <email or id>
       swarmbase operators list

Operators may call /operator/v1 and see the operator pages of the console, with a second factor and after a recent sign-in.
OPERATOR_ENABLED serves both. The account has to exist. Changes apply at once, also while the service runs.

add     makes an account an operator. An address names the account only if it is proven: by a link or code in a mail, or by the service
        role's email_confirm.
remove  makes it an ordinary account again.
list    prints the operators, and whether each has a second factor.`;

/** Runs as the owner of the schema, so that it also works when no operator can sign in. */
export async function runOperatorsCommand(context: ExtensionCommandContext): Promise<number> {
  const [action, wanted, ...rest] = context.args;
  if (rest.length > 0) throw new UsageError("there are too many arguments");
  if (action === "list" && wanted === undefined) return context.withDatabase((database) => list(database, context));
  if ((action !== "add" && action !== "remove") || wanted === undefined)
    throw new UsageError("add, remove or list is required; add and remove need an e-mail address or id");
  return context.withDatabase((database) => change(database, context, { action, wanted }));
}

async function list({ client }: CommandDatabase, { stdout }: ExtensionCommandContext): Promise<number> {
  const operators = await listOperators(queryOver(client));
  for (const { email, user_id: id, has_second_factor: isReady } of operators)
    stdout.write(`${email ?? id}${isReady ? "" : " (has no second factor yet)"}\n`);
  if (operators.length === 0) stdout.write("There are no operators.\n");
  return 0;
}

async function change(
  { client }: CommandDatabase,
  { stdout, stderr }: ExtensionCommandContext,
  { action, wanted }: { readonly action: "add" | "remove"; readonly wanted: string },
): Promise<number> {
  const query = queryOver(client);
  await query("begin");
  const found = await (action === "add" ? addOperator(query, wanted) : removeOperator(query, wanted));
  if (found !== null && "is_added" in found && !found.is_added) {
    await query("rollback");
    stderr.write(
      `The address ${found.email} is not proven. If the account ${found.user_id} is the right one, name it by this id, or set email_confirm with the service role.\n`,
    );
    return 1;
  }
  if (found !== null)
    await recordCall(query, "command", { action: `operators.${action}`, target: `users/${found.user_id}` });
  await query("commit");
  if (found === null) {
    stderr.write(action === "add" ? `No account is ${wanted}.\n` : `${wanted} is not an operator.\n`);
    return 1;
  }
  stdout.write(`${found.email ?? found.user_id} is ${action === "add" ? "an" : "no longer an"} operator.\n`);
  return 0;
}

function queryOver(client: CommandDatabase["client"]): Query {
  return async <Row extends object>(text: string, values: readonly unknown[] = []) =>
    (await client.query<Row>(text, [...values])).rows;
}
