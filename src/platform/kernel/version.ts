import manifest from '../../../package.json' with { type: 'json' };

/** The released version of this gateway. */
export const VERSION = manifest.version;
