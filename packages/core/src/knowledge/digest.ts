/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:3f4e1cd3899bf34187c59e5fba72fd823b321f088b6f21fc650ea4686a25800a';
