/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:ec54abb7baa3c6ca0bea490c0128e3aa4d95f008218b314c52052b044bb63dab';
