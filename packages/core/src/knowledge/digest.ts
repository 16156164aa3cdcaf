/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:f1229234e9bd86667323a34f5012c0106de0686e46e9588d3bdbb1be2ad0a2f8';
