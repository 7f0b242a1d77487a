/** Vite renames the classes of a CSS module; TypeScript does not read the file. */
declare module '*.module.css' {
  // biome-ignore lint/suspicious/noExplicitAny: an index signature would make every class possibly undefined.
  const classes: any;
  // biome-ignore lint/style/noDefaultExport: this is how Vite exports a CSS module.
  export default classes;
}

declare module '*.css';
declare module 'virtual:mantine-styles';
/** From `map-outlines.ts`. */
declare module 'virtual:map-outlines' {
  export const world: string;
  export const surroundings: string;
  export const korea: string;
}
declare module '*.svg' {
  const url: string;
  // biome-ignore lint/style/noDefaultExport: this is how Vite exports the address of a file.
  export default url;
}
