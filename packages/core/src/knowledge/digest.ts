/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:bb15a907ba58a6cac9d88ee8aabcb137a4f90624c81f816b97914c6973a1c08e';
