/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:3700d2a63d7da0886ea77020194f192382b3579971e6ea6de53362a6d4e69c3d';
