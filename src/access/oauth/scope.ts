/** The only scope: what it allows is chosen by the person. */
export const SCOPE = 'tools:call';

/** Signatures that only the holder of a private key can make. */
export const ALGORITHMS: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
