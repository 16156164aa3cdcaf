/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:3e44be9bcaac6e8549d854d24599ad60ca66e63d2c4af430087699eda18a070d';
