/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:1a97fef064bfc999cc44c883fdd800230b99609303ca9caf8081487780e1b769';
