import { clsx } from "clsx";
import { Check, X } from "lucide-react";
import type { ReactNode } from "react";
import type { Model } from "../../data/models.ts";
import { formatCompact, formatMoney } from "../../components/formats.ts";

/** "$0.40 in, $1.60 out": for a million tokens each. */
export function sayPrice({ price_input: input, price_output: output }: Model): string {
  if (input === null || output === null) return "price unknown";
  return `${formatMoney(input)} in, ${formatMoney(output)} out`;
}

/** What is known of a model before it is asked anything. */
export function ModelDetails({ model }: { readonly model: Model }) {
  const { supports, is_simulated: isSimulated } = model;
  return (
    <div className="grid gap-3 rounded-md bg-sunken p-3.5 text-sm">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2.5">
        <Fact name="Reads up to">{sayTokens(model.context_window)}</Fact>
        <Fact name="Writes up to">{sayTokens(model.max_output_tokens)}</Fact>
        <Fact name="A million tokens read">{sayCost(model.price_input)}</Fact>
        <Fact name="A million tokens written">{sayCost(model.price_output)}</Fact>
      </dl>
      <ul aria-label="What the model takes" className="flex flex-wrap gap-1.5">
        <Takes name="Tools" isTaken={supports.tools} />
        <Takes name="Temperature" isTaken={supports.temperature} />
        <Takes name="Top P" isTaken={supports.top_p} />
        <Takes name="Penalties" isTaken={supports.penalties} />
        <Takes name={supports.stop > 0 ? `${supports.stop} stops` : "Stops"} isTaken={supports.stop > 0} />
      </ul>
      {isSimulated && (
        <p className="text-pretty text-ink-soft">
          Simulated here: no provider is set up, so replies begin with “[simulated]” and cost nothing.
        </p>
      )}
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="grid min-w-0">
      <dt className="text-ink-faint">{name}</dt>
      <dd className="truncate font-medium tabular-nums">{children}</dd>
    </div>
  );
}

function Takes({ name, isTaken }: { readonly name: string; readonly isTaken: boolean }) {
  const Icon = isTaken ? Check : X;
  return (
    <li
      className={clsx(
        "inline-flex h-6 items-center gap-1 rounded-full border border-line bg-surface px-2 text-xs font-medium",
        isTaken ? "text-ink-soft" : "text-ink-faint line-through",
      )}
    >
      <Icon className={clsx("size-3.5", isTaken && "text-good")} aria-hidden />
      <span className="sr-only">{isTaken ? "Takes" : "Does not take"} </span>
      {name}
    </li>
  );
}

function sayTokens(count: number | null): string {
  return count === null ? "not known" : `${formatCompact(count)} tokens`;
}

function sayCost(price: number | null): string {
  return price === null ? "not known" : formatMoney(price);
}
