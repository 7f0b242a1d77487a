/** Bounds for API descriptions, which may come from third parties. */

/** Length of the text, in UTF-16 units. */
export const MAX_DOCUMENT_LENGTH = 20 * 1024 * 1024;
/** Objects, arrays and scalars, with YAML aliases expanded. */
export const MAX_DOCUMENT_NODES = 2_000_000;
/** Nesting of objects and arrays. */
export const MAX_DOCUMENT_DEPTH = 100;
export const MAX_OPERATIONS = 10_000;
/** Operations of a registered API that may become tools. */
export const MAX_REGISTERED_OPERATIONS = 2_000;
/** Parameters of one operation. */
export const MAX_PARAMETERS = 500;
/** Names in the `dependentRequired` of an optional body whose properties are lifted. */
export const MAX_DEPENDENT_NAMES = 2_000;
/** Schema objects and their keywords in the input schema of one tool of a preset. */
export const MAX_SCHEMA_SIZE = 50_000;
/** The same of a registered tool: the thread that checks arguments keeps 32 checks in its memory. */
export const MAX_REGISTERED_SCHEMA_SIZE = 1_000;
/** Characters of a registered tool as JSON. */
export const MAX_REGISTERED_TOOL_LENGTH = 256 * 1024;
/** Characters of all tools of a registered API as JSON: a short description may repeat a long text in each of them. */
export const MAX_REGISTERED_TOOLS_LENGTH = 8 * 1024 * 1024;
/** Nesting of objects and arrays in the input schema of a registered tool. */
export const MAX_SCHEMA_DEPTH = 64;
/** Length of a tool name that model APIs accept. */
export const MAX_TOOL_NAME_LENGTH = 64;
