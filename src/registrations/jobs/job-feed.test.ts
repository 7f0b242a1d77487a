import { expect, it } from 'vitest';
import { createJobFeed, MAX_READERS } from './job-feed.ts';

it('tells the readers of one tenant, until they leave', () => {
  const feed = createJobFeed<string>();
  const read: string[] = [];
  const note = (job: string) => void read.push(job);
  const stops = [feed.follow('ours', note), feed.follow('ours', note)];
  feed.follow('theirs', (job) => read.push(`theirs ${job}`));
  feed.publish('ours', 'one');
  expect(read).toEqual(['one', 'one']);
  stops[0]?.();
  feed.publish('ours', 'two');
  stops[1]?.();
  stops[1]?.();
  feed.publish('ours', 'three');
  expect(read).toEqual(['one', 'one', 'two']);
});

it('has a bound for each tenant', () => {
  const feed = createJobFeed<string>();
  const stops = Array.from({ length: MAX_READERS }, () => feed.follow('ours', () => undefined));
  expect(() => feed.follow('ours', () => undefined)).toThrow('Close some');
  feed.follow('theirs', () => undefined);
  stops[0]?.();
  feed.follow('ours', () => undefined);
});
