/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:4c7505be3d97d33df65e9daaaafa8cb4f7c9419329f1227a398161de57841cbd';
