import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { mantineStyles } from './mantine-styles.ts';
import { mapOutlines } from './map-outlines.ts';

/** Where `npm run dashboard:dev` finds a running gateway. */
const GATEWAY = process.env['GATEWAY_URL'] ?? 'http://localhost:8080';

export default defineConfig({
  root: import.meta.dirname,
  base: '/admin/',
  plugins: [mantineStyles(), mapOutlines(), react()],
  // The gateway replaces the placeholder in every response.
  html: { cspNonce: '__NONCE__' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    // The oldest browsers with light-dark(), which would otherwise be translated to something that Mantine does not set.
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // A data: URL would need another permission in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1000,
  },
  server: {
    proxy: {
      // Not the folder `api` of the sources, which has the same address in development.
      '^/admin/api/(?!.*\\.tsx?(?:\\?|$))': {
        target: GATEWAY,
        changeOrigin: true,
        headers: { origin: GATEWAY },
      },
      '/health': { target: GATEWAY, changeOrigin: true },
    },
  },
});
