/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:b791ca660c25c03b008a18f9331442416bf801362be5fffbb0c7ad398fab46aa';
