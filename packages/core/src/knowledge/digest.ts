/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:e41635ddf529dd8031eecccd4fe2e93d2420d67437503d686d2a8305b7321bb6';
