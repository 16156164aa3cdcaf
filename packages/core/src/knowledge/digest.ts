/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:399a1bf6d81c5235045324afbf06621148db18115681841e986cc8abea5c69a6';
