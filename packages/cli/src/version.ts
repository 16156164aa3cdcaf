import manifest from '../package.json' with { type: 'json' };

/** Release of this program. */
export const version: string = manifest.version;
