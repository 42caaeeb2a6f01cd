import { clsx } from "clsx";
import { Check, X } from "lucide-react";
import type { ReactNode } from "react";
import type { Model } from "../../data/models.ts";
import { formatCompact, formatMoney } from "../../components/formats.ts";

/** "$0.40 in, $1.60 out", per million tokens. */
export function formatPrice({ price_input: input, price_output: output }: Model): string {
  if (input === null || output === null) return "price unknown";
  return `${formatMoney(input)} in, ${formatMoney(output)} out`;
}

/** Limits, prices and features of a model. */
export function ModelDetails({ model }: { readonly model: Model }) {
  const { supports, is_simulated: isSimulated } = model;
  return (
    <div className="grid gap-3 rounded-md bg-sunken p-3.5 text-sm">
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2.5">
        <Fact name="Context window">{formatTokenLimit(model.context_window)}</Fact>
        <Fact name="Maximum output">{formatTokenLimit(model.max_output_tokens)}</Fact>
        <Fact name="Input, per million tokens">{formatTokenPrice(model.price_input)}</Fact>
        <Fact name="Output, per million tokens">{formatTokenPrice(model.price_output)}</Fact>
      </dl>
      <ul aria-label="Features of the model" className="flex flex-wrap gap-1.5">
        <Feature name="Tools" isSupported={supports.tools} />
        <Feature name="Temperature" isSupported={supports.temperature} />
        <Feature name="Top P" isSupported={supports.top_p} />
        <Feature name="Penalties" isSupported={supports.penalties} />
        <Feature name={supports.stop > 0 ? `${supports.stop} stops` : "Stops"} isSupported={supports.stop > 0} />
      </ul>
      {isSimulated && (
        <p className="text-pretty text-ink-soft">
          Simulated: no provider is configured, so replies begin with “[simulated]” and cost nothing.
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

function Feature({ name, isSupported }: { readonly name: string; readonly isSupported: boolean }) {
  const Icon = isSupported ? Check : X;
  return (
    <li
      className={clsx(
        "inline-flex h-6 items-center gap-1 rounded-full border border-line bg-surface px-2 text-xs font-medium",
        isSupported ? "text-ink-soft" : "text-ink-faint line-through",
      )}
    >
      <Icon className={clsx("size-3.5", isSupported && "text-good")} aria-hidden />
      <span className="sr-only">{isSupported ? "Supports" : "Does not support"} </span>
      {name}
    </li>
  );
}

function formatTokenLimit(count: number | null): string {
  return count === null ? "unknown" : `${formatCompact(count)} tokens`;
}

function formatTokenPrice(price: number | null): string {
  return price === null ? "unknown" : formatMoney(price);
}
