/** The only scope: what it allows is chosen by the person. */
export const SCOPE = 'tools:call';
