import manifest from '../../../package.json' with { type: 'json' };

/** The version of this gateway, as released. */
export const VERSION = manifest.version;
