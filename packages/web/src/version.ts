import manifest from '../package.json' with { type: 'json' };

/** The release of this page. */
export const version: string = manifest.version;
