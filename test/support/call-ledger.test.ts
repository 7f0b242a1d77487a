import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { newAuditId } from '../../src/platform/kernel/ids.ts';
import { createCallLedger } from './call-ledger.ts';

const KEYS = ['key-a', 'key-b'];

/** A replica that lists these records for each key, one on each page. */
async function startLister(recordsOf: Readonly<Record<string, readonly string[]>>) {
  const server = createServer(({ url = '', headers }, response) => {
    const ids = recordsOf[String(headers['x-api-key'])] ?? [];
    const at = Number(new URL(url, 'http://localhost').searchParams.get('cursor') ?? 0);
    const records = ids.slice(at, at + 1).map((auditId) => ({ auditId }));
    const nextCursor = at + 1 < ids.length ? String(at + 1) : null;
    response.end(JSON.stringify({ records, nextCursor }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('finds records that a replica lacks, lists twice, or shows to another tenant', async () => {
  const [whole, lost, doubled, foreign] = Array.from({ length: 4 }, newAuditId) as [
    string,
    string,
    string,
    string,
  ];
  const all = [whole, lost, doubled, foreign];
  const first = await startLister({ 'key-a': all });
  const second = await startLister({
    'key-a': [whole, doubled, doubled, foreign],
    'key-b': [foreign],
  });
  const ledger = createCallLedger([first, second], KEYS);
  for (const id of all) ledger.answered(0, id);
  await ledger.checkRecords(Date.now() - 60_000);
  expect(ledger.report().checked).toBe(0);
  await ledger.checkRecords(Date.now() + 1);
  expect(ledger.report()).toEqual({ checked: 4, lost: 1, doubled: 1, foreign: 1, missed: 0 });
  await ledger.checkRecords(Date.now() + 1);
  expect(ledger.report().checked).toBe(4);
});

test('finds events that a stream missed, got twice, or got from another tenant', async () => {
  const ledger = createCallLedger([], KEYS);
  const fromMs = performance.now();
  await sleep(2);
  const [seen, missed, foreign] = [newAuditId(), newAuditId(), newAuditId()];
  for (const id of [seen, missed]) ledger.answered(0, id);
  ledger.answered(1, foreign);
  await sleep(2);
  const toMs = performance.now();
  await sleep(2);
  ledger.answered(0, newAuditId());
  ledger.checkStream({ tenant: 0, fromMs, toMs, seen: [seen, seen, foreign] });
  expect(ledger.report()).toEqual({ checked: 0, lost: 0, doubled: 1, foreign: 1, missed: 1 });
});
