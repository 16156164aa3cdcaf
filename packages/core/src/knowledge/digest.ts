/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:7420ad538aa951d9013cd9259b5a046a41cac0fee82d6757517bd6deefa5bfb3';
