/** Bounds for the members of a registration, in characters unless another unit is given. */
export const MAX_NAME_LENGTH = 100;
export const MAX_CATEGORY_LENGTH = 40;
export const MAX_DESCRIPTION_LENGTH = 2_000;
export const MAX_URL_LENGTH = 2_048;
export const MAX_CREDENTIAL_LENGTH = 8_192;
export const MAX_KEY_NAME_LENGTH = 100;
/** Entries of `include` and of `exclude`. */
export const MAX_FILTERS = 100;
/** A tag, a path pattern or an operationId. */
export const MAX_FILTER_LENGTH = 500;
/** A description that a person writes in place of the document's. */
export const MAX_TOOL_DESCRIPTION_LENGTH = 4_000;
/** Origins of `confirm_origins`. */
export const MAX_CONFIRMED_ORIGINS = 100;
