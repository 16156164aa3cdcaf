/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:533f58993e8aa3dbdc213cd83d0076641bf9e832247374bcf156672a4598c3f7';
