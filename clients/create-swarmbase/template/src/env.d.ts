/** `npm run dev` sets these. For a build, set them yourself: see README.md. */
interface ImportMeta {
  readonly env: {
    /** The address of the service; unset if the page and the service have the same origin. */
    readonly VITE_SWARMBASE_URL?: string;
    readonly VITE_SWARMBASE_ANON_KEY: string;
  };
}
