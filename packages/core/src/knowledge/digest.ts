/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:7861a5662ecb45a5e75029b2354f14ee8c87b55c45f861933140f89c590d5262';
