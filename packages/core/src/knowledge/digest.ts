/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:d2d91b8c00356fe2a687f59aef6c4c648a650a78f83d2282dd9348510667f2c4';
