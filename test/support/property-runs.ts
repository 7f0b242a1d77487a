/** Examples of a property that looks for rare mistakes: few while someone waits for `npm test`, a thousand in `.ci/run`. */
export const MANY_RUNS = Number(process.env['PROPERTY_RUNS'] ?? 100);
