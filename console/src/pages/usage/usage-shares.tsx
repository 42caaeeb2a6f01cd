import type { UsageReport, UsageShare, UsageSplit } from "../../data/usage.ts";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { formatCompact, formatCount, formatMoney, formatPercent } from "../../components/formats.ts";
import { Link } from "../../components/link.tsx";
import { addUp, type Measure, measureOf } from "./measure.ts";
import { GONE_LABELS, SPLIT_LABELS } from "./split-labels.ts";

const PATHS: Readonly<Record<UsageSplit, string | null>> = { agent: "/agents", swarm: "/swarms", model: null };

interface UsageSharesProps {
  readonly report: UsageReport;
  readonly split: UsageSplit;
  readonly measure: Measure;
}

/** The usage per agent, swarm or model. */
export function UsageShares({ report, split, measure }: UsageSharesProps) {
  const all = measureOf(addUp(report.days), measure);
  const shares = report.shares.toSorted((left, right) => measureOf(right, measure) - measureOf(left, measure));
  const columns: readonly Column<UsageShare>[] = [
    {
      title: SPLIT_LABELS[split],
      width: "2fr",
      narrow: "title",
      render: (share) => <ShareName share={share} split={split} />,
    },
    { title: "Turns", isNumber: true, narrow: "hidden", render: ({ turns }) => formatCount(turns) },
    { title: "Read", isNumber: true, render: ({ input }) => formatCompact(input) },
    { title: "Written", isNumber: true, render: ({ output }) => formatCompact(output) },
    {
      title: "Cost",
      isNumber: true,
      narrow: "trailing",
      render: ({ cost }) => (cost === null ? <span className="text-ink-faint">no price</span> : formatMoney(cost)),
    },
    {
      title: "Share",
      width: "1.6fr",
      isNumber: true,
      render: (share) => <ShareBar value={all === 0 ? 0 : measureOf(share, measure) / all} />,
    },
  ];
  return (
    <DataTable
      label={`Usage by ${split}`}
      columns={columns}
      rows={shares}
      keyOf={({ id }) => id ?? "gone"}
      foot={
        report.isCut && (
          <p className="px-4 py-3 text-sm text-ink-faint">
            Only the first {report.shares.length} are listed. The totals above include all of them.
          </p>
        )
      }
    />
  );
}

function ShareName({ share: { id, name }, split }: { readonly share: UsageShare; readonly split: UsageSplit }) {
  const path = PATHS[split];
  if (id === null || name === null) return <span className="text-ink-faint">{GONE_LABELS[split]}</span>;
  if (path === null) return <span className="font-mono text-sm">{name}</span>;
  return <Link to={`${path}/${id}`}>{name}</Link>;
}

function ShareBar({ value }: { readonly value: number }) {
  return (
    <span className="flex items-center gap-3 md:pl-6">
      <span aria-hidden className="hidden h-1.5 flex-1 overflow-hidden rounded-full bg-line md:block">
        <span className="block h-full rounded-full bg-accent" style={{ width: `${value * 100}%` }} />
      </span>
      <span className="w-12 shrink-0 text-right tabular-nums">{formatPercent(value)}</span>
    </span>
  );
}
