/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:fa7f2e530815827ed1462f0da5ecca12826c1516bcf29e5c531857e62c39a4e3';
