/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:6ace74f5d4ff98e28168f09e34d2671016943e9ae3a07efb64c7244be7665b0b';
