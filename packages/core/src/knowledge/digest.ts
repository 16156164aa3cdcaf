/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:77e78212e32344703f96272448cd57d9483ead7b02db172455331793c805479d';
