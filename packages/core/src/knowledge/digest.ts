/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:5683c6d96b219157e121b0647ef8c3e9711c97abb95f22559d9eb2056f747fad';
