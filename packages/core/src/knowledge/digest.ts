/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:7f65530ae13a66da55f5c77db7a5e6d8b3ee96cdd9a4a41151c25369ce0d56f7';
