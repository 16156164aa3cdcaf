/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:6c011655eca7c7ea058c4c30c27147560ea743bc66295a2a905a369436069706';
