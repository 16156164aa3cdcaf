/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:c09795fcc6154671cf344081f2daabe0b809691e42d6bfd1c82926d49805eb6e';
