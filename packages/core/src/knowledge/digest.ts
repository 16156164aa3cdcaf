/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:0000000000000000000000000000000000000000000000000000000000000000';
