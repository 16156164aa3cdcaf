/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:8da2cd4284c4e710ad9151f24ca242fa9fdcc2fa2ad105145ed5ec388893d268';
