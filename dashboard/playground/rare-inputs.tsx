/** Inputs that few tools need, loaded with the first one that does. */
export { JsonInput, TagsInput } from '@mantine/core';
