/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:2d3d8ba27f206d89f177360f486f6ee65ed07444206bdddf9732430433dbd995';
