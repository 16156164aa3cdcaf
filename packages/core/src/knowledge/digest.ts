/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:dbacfcbcab59adbd14131aebb24f68e41359dd6acd15f97bd602ef65b276f27a';
