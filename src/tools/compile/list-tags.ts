import { own } from '../../platform/kernel/plain-json.ts';
import type { Operation } from './operation.ts';

const MAX_TAGS = 100;
/** As long as a filter may be. */
const MAX_TAG_LENGTH = 500;

/** The tags of operations, in the order in which they first occur. */
export function listTags(operations: readonly Operation[]): string[] {
  const tags = new Set<string>();
  for (const { value } of operations) {
    for (const tag of tagsOf(value)) {
      if (tags.size === MAX_TAGS) return [...tags];
      if (typeof tag === 'string' && tag !== '' && tag.length <= MAX_TAG_LENGTH) tags.add(tag);
    }
  }
  return [...tags];
}

/** Whether an operation has a tag. */
export const hasTag = (value: Operation['value'], tag: string): boolean =>
  tagsOf(value).includes(tag);

function tagsOf(value: Operation['value']): readonly unknown[] {
  const tags = own(value, 'tags');
  return Array.isArray(tags) ? tags : [];
}
