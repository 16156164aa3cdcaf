/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:10260cccc835575dd5c27777470a979bfc1a55b40ef22b84c917d6ff272cbdcc';
