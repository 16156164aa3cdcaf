/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:c7f4b7fa9040efdb2dbccfe7d5160ea57be4bddfeaa35926ec63238add362806';
