/** Bounds for API descriptions, which may come from strangers. */

/** Length of the text, in UTF-16 units. */
export const MAX_DOCUMENT_LENGTH = 20 * 1024 * 1024;
/** Objects, arrays and scalars, YAML aliases expanded. */
export const MAX_DOCUMENT_NODES = 2_000_000;
/** Nesting of objects and arrays. */
export const MAX_DOCUMENT_DEPTH = 100;
export const MAX_OPERATIONS = 10_000;
/** Parameters of one operation. */
export const MAX_PARAMETERS = 500;
/** Words in the `dependentRequired` of an optional body whose properties are lifted. */
export const MAX_DEPENDENT_NAMES = 2_000;
/** Schema objects in the input schema of one tool. */
export const MAX_SCHEMA_NODES = 20_000;
/** Schema objects in the input schemas of all tools of one document. */
export const MAX_SCHEMA_NODES_IN_ALL = 3_000_000;
/** Length of a tool name: what model APIs accept. */
export const MAX_TOOL_NAME_LENGTH = 64;
