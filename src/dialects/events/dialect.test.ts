import { describe, expect, it } from 'vitest';
import { decodeSse } from '../../../test/support/decode-sse.ts';
import { type ClientStream, createStreamHub, type StreamHub } from '../../events/stream-hub.ts';
import type { JobView } from '../../registrations/registration-views.ts';
import { publishJob } from './dialect.ts';

const OWNER = { tenantId: 'ten_a', apiKeyId: 'key_a' };
const JOB: JobView = {
  job_id: 'job_1',
  jobId: 'job_1',
  status: 'registered',
  name: 'My API',
  progress: 1,
  createdAt: '2026-11-20T00:00:00.000Z',
  updatedAt: '2026-11-20T00:00:01.000Z',
  error: null,
  origins: [],
  report: null,
  toolIds: ['@ours.my-api.list'],
  registrationId: 'reg_1',
};

/** A stream that records the events it receives. */
function openStream(hub: StreamHub, { tenantId, apiKeyId }: typeof OWNER) {
  const received: { name: string; data: string }[] = [];
  const stream: ClientStream = {
    clientId: `sse_${tenantId}_${apiKeyId}`,
    tenantId,
    apiKeyId,
    isOperator: false,
    closed: new AbortController().signal,
    mayUse: () => false,
    send: (frame) => void received.push(...decodeSse(String(frame)).events),
    reply: () => Promise.resolve(),
    toolsChanged: () => undefined,
    listChanged: () => undefined,
    end: () => undefined,
  };
  hub.add(stream);
  return received;
}

/** The event for a job with these members. */
function eventOf(members: Partial<Record<keyof JobView, unknown>>) {
  const hub = createStreamHub({ logger: { warn: () => undefined } });
  const received = openStream(hub, OWNER);
  publishJob(hub, { ...JOB, ...members } as JobView, OWNER);
  const data = received[0]?.data ?? '';
  return { bytes: Buffer.byteLength(data), ...JSON.parse(data) };
}

describe('the event of a registration job', () => {
  it('contains the job, and goes to the streams of the key that asked', () => {
    const hub = createStreamHub({ logger: { warn: () => undefined } });
    const mine = openStream(hub, OWNER);
    const sameTenant = openStream(hub, { ...OWNER, apiKeyId: 'key_b' });
    const otherTenant = openStream(hub, { tenantId: 'ten_b', apiKeyId: 'key_c' });
    publishJob(hub, JOB, OWNER);
    expect(mine.map(({ name, data }) => ({ name, data: JSON.parse(data) }))).toEqual([
      { name: 'byoapi', data: { jobId: 'job_1', status: 'registered', job: JOB } },
    ]);
    expect([sameTenant, otherTenant]).toEqual([[], []]);
  });

  it('has a report and tool ids of up to 64 KiB, counted in bytes', () => {
    const textOf = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
    expect(eventOf({ report: textOf(65_536) }).job.report).not.toBeNull();
    expect(eventOf({ report: textOf(65_537) }).job.report).toBeNull();
    expect(eventOf({ report: { text: '날'.repeat(22_000) } }).job.report).toBeNull();
    const ids = (count: number) => Array.from({ length: count }, () => JOB.toolIds[0] ?? '');
    expect(eventOf({ toolIds: ids(3000) }).job.toolIds).toHaveLength(3000);
    expect(eventOf({ toolIds: ids(3500) }).job.toolIds).toBeNull();
  });

  it('is never much larger than its two bounded parts', () => {
    const text = 'x'.repeat(1000);
    const event = eventOf({
      name: '날'.repeat(100),
      error: { code: 'unprocessable', message: text, pointer: text },
      report: { text: 'x'.repeat(1_000_000) },
      toolIds: Array.from({ length: 2000 }, () => `@ours.my-api.${'x'.repeat(64)}`),
    });
    expect(event.bytes).toBeLessThan(2 * 65_536 + 10_000);
  });

  it('is not built while the tenant has no stream', () => {
    const hub = createStreamHub({ logger: { warn: () => undefined } });
    const job = { ...JOB, toJSON: () => expect.fail('The event was built.') };
    publishJob(hub, job, OWNER);
  });
});
