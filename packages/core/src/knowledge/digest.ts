/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:cf70fd9d382452295c69bb2c7c5ee046e0c0ed32c3cd4e53e50e6a5652c7ae18';
