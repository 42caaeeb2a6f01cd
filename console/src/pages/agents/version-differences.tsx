import { TextDifference } from "../../components/text-difference.tsx";
import { type ComparedVersion, compareVersions } from "./compare-versions.ts";

interface VersionDifferencesProps {
  readonly from: ComparedVersion;
  readonly to: ComparedVersion;
  /** Follows the name of a field: "System prompt, version 1 to 2". */
  readonly about: string;
  /** Shown when nothing differs. */
  readonly same: string;
}

/** What changes from one version of an agent to another, field by field. */
export function VersionDifferences({ from, to, about, same }: VersionDifferencesProps) {
  const differences = compareVersions(from, to);
  if (differences.length === 0) return <p className="text-ink-soft">{same}</p>;
  return (
    <div className="grid min-w-0 grid-cols-1 gap-3">
      {differences.map(({ label, before, after }) => (
        <TextDifference key={label} label={`${label}, ${about}`} before={before} after={after} />
      ))}
    </div>
  );
}
