import type { ChartProps } from "./chart-props.ts";

/** The values of a chart as an expandable table. */
export function ChartTable({ label, times, series, format, formatTime = formatMoment }: ChartProps) {
  return (
    <details className="text-sm text-ink-soft">
      <summary className="w-fit rounded-sm">Show as a table</summary>
      {/* Scrollable regions must be focusable by keyboard. */}
      <div className="mt-2 max-h-64 overflow-auto" tabIndex={0} role="region" aria-label={`${label}, as a table`}>
        <table className="w-full text-left tabular-nums">
          <thead className="text-ink-faint">
            <tr>
              <th scope="col" className="py-1 pr-4 font-medium">
                Time
              </th>
              {series.map(({ label: name }) => (
                <th key={name} scope="col" className="py-1 pr-4 font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((time, index) => (
              <tr key={time} className="border-t border-line">
                <th scope="row" className="py-1 pr-4 font-normal whitespace-nowrap">
                  {formatTime(time)}
                </th>
                {series.map(({ label: name, values }) => {
                  const value = values[index];
                  return (
                    <td key={name} className="py-1 pr-4">
                      {value === null || value === undefined ? "–" : format(value)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function formatMoment(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString();
}
