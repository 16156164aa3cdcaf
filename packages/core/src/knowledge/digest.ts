/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:bb18407e6293efc08822ee66ee78c36ecc48cd620bef9076df606cacbbd98242';
