/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:4bd5cad17ed12dcb13e44e4c85149780c096cab3d299b5f71fa85ef534765ff0';
