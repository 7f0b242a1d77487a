declare module 'swagger2openapi' {
  interface Options {
    /** Corrects small faults of the description. */
    readonly patch: boolean;
    /** Does not throw for others. */
    readonly warnOnly: boolean;
  }
  export function convertObj(
    swagger: object,
    options: Options,
  ): Promise<{ readonly openapi: Readonly<Record<string, unknown>> }>;
}
