/** Fingerprint of all tables. Generated; `npm run generate` renews it. */
export const digest: string = 'sha256:060272fcc04dc85305580e0a5bef14615f9a93b5c1fe99f2f400cc942f46bf41';
