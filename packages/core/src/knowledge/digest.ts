/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:e04d5c831e008d00b760386b4e053a40a6647ee3b4d09c50b1e7fbfd4eb97173';
