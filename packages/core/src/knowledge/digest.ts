/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:f7a6038215bc02509f63ab4cba65011cc15116ee147c7d87cb6dadf34d50ac0e';
