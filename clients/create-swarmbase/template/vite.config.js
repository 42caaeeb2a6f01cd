import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// `npm run dev` sets SWARMBASE_URL. The browser reaches the service by this server, so that it needs to trust no certificate.
const target = process.env.SWARMBASE_URL;
const paths = ["/auth/v1", "/rest/v1", "/functions/v1", "/realtime/v1"];

export default defineConfig({
  plugins: [react()],
  server: {
    proxy: target ? Object.fromEntries(paths.map((path) => [path, { target, changeOrigin: true, ws: true }])) : {},
  },
});
