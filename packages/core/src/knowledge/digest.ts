/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:5509e9002b69d747c5a4fa47f9e28ee3e2154794ac34b5cce587c66373c5374a';
