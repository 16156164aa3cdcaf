/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:4cd861fc4c4255715fd5189bb8a7e38b94b75a8fa15e7844a2af5f10769f1cab';
