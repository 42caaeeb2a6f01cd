/** The logo of Swarmbase. */
export function Logo({ size = 28 }: { readonly size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--accent)" />
      <path
        d="M16 11.5v3M14.4 17.2l-2.6 1.4M17.6 17.2l2.6 1.4"
        stroke="var(--on-accent)"
        strokeOpacity="0.75"
        strokeWidth="1.4"
      />
      <g fill="var(--on-accent)">
        <circle cx="16" cy="8.6" r="3.1" />
        <circle cx="9.4" cy="20" r="3.1" />
        <circle cx="22.6" cy="20" r="3.1" />
        <circle cx="16" cy="16.2" r="1.9" fillOpacity="0.75" />
      </g>
    </svg>
  );
}
