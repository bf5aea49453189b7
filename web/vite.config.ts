/// <reference types="vitest/config" />
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { usedMantineStyles } from "./mantine-styles";

// Straight into the server's package: an editable install serves what was built last.
const intoServer = "../server/odyssey/static";

// `npm run dev` with ODYSSEY_API_KEY needs no sign-in: every request goes out as the key's person.
const key = process.env.ODYSSEY_API_KEY;
const signedIn: Record<string, string> = key ? { Authorization: `Bearer ${key}` } : {};

export default defineConfig({
  plugins: [react(), usedMantineStyles(new URL(".", import.meta.url).pathname)],
  resolve: { alias: { "~": new URL("./src", import.meta.url).pathname } },
  build: {
    outDir: intoServer,
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0, // the Content-Security-Policy allows no data: addresses
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700, // what travels first is checked by a test, compressed
    manifest: true,
    rollupOptions: { output: { experimentalMinChunkSize: 40_000 } }, // or a page is up to 90 files, an icon each
  },
  test: { include: ["src/**/*.test.ts"], pool: "threads", isolate: false, reporters: ["dot"] },
  server: {
    proxy: { "/api": { target: process.env.ODYSSEY_URL ?? "http://127.0.0.1:8200", headers: signedIn } },
  },
});
