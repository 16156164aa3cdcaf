/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:a8eefd764f378d4605f55fa2eb8e52a9bd41da133ca3a553b002a91990ed9df9';
