/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:0dc171a37307d2eb69431b6456ee93b3fa2d1385a5093205fc32e9d9d4a7317f';
