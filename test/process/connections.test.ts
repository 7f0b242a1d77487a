import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/ports.ts';
import { sendWithoutReading } from '../support/raw-socket.ts';
import { SHIPPED_PRESETS } from '../support/sandboxed-presets.ts';
import { until } from '../support/until.ts';
import { temporaryDir, temporaryGateway } from './temporary.ts';

const MIB = 1024 * 1024;

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;

/** Opens connections that send the request and never read the response. */
async function leaveUnread(url: string, request: string, times: number): Promise<void> {
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (let i = 0; i < times; i++) sockets.push(await sendWithoutReading(url, request));
}

const rssBytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

async function metric(port: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  );
}

const UNREAD = 'tool_gateway_connections_ended_total{reason="unread"}';

describe('responses that are never read', { timeout: 300_000 }, () => {
  test('cost the memory of one file, and their connections are closed in time', async () => {
    const port = await freePort();
    const gateway = await temporaryGateway({
      DATA_DIR: await temporaryDir(),
      METRICS_PORT: String(port),
      // The description of their tools is long.
      PRESETS_DIR: SHIPPED_PRESETS,
      WRITE_TIMEOUT_MS: '5000',
    });
    const path = '/openapi.json?tools=1';
    const first = await fetch(`${gateway.url}${path}`, {
      headers: { 'accept-encoding': 'identity' },
    });
    const { byteLength } = await first.arrayBuffer();
    expect(300 * byteLength).toBeGreaterThan(110 * MIB);
    const before = rssBytes(gateway.pid);
    // More than once: the kernel buffers several megabytes for each connection.
    await leaveUnread(gateway.url, get(path).repeat(40), 300);
    // On a slow machine, the first ones end before the last one is open.
    await until(
      async () =>
        (await metric(port, 'tool_gateway_connections')) + (await metric(port, UNREAD)) >= 300,
    );
    // The requests that wait need about 100 MB; one copy for each connection would add 110 MB.
    expect(rssBytes(gateway.pid) - before).toBeLessThan(160 * MIB);
    await until(async () => (await metric(port, UNREAD)) === 300);
    expect((await gateway.call('frankfurter_rates')).result).toBeDefined();
  });

  test('are also abandoned after many requests at once, and on the metrics port', async () => {
    const port = await freePort();
    const gateway = await temporaryGateway({
      DATA_DIR: await temporaryDir(),
      METRICS_PORT: String(port),
      // The list of their tools is long.
      PRESETS_DIR: SHIPPED_PRESETS,
      WRITE_TIMEOUT_MS: '1000',
    });
    const metricsUrl = `http://127.0.0.1:${port}`;
    const sockets = await Promise.all([
      sendWithoutReading(metricsUrl, get('/metrics').repeat(5000)),
      sendWithoutReading(gateway.url, get('/registry/tools').repeat(200)),
    ]);
    await until(async () => (await metric(port, UNREAD)) >= 1);
    for (const socket of sockets) {
      let hasClosed = false;
      socket.once('close', () => {
        hasClosed = true;
      });
      await until(() => {
        // A client that does not touch the connection does not notice a reset.
        socket.write('x');
        return hasClosed;
      });
    }
  });
});

test('running out of file descriptors logs what to do, and the process continues', async () => {
  const gateway = await temporaryGateway({ DATA_DIR: await temporaryDir() });
  const used = readdirSync(`/proc/${gateway.pid}/fd`).length;
  const limit = (nofile: string) =>
    execFileSync('prlimit', ['--pid', String(gateway.pid), `--nofile=${nofile}`]);
  limit(`${used + 5}:${used + 1000}`);
  await leaveUnread(gateway.url, '', 20);
  await until(() => gateway.stderr().includes('No file descriptor is left'));
  const lines = gateway.stderr().split('\n');
  expect(lines.filter((line) => line.includes('No file descriptor is left'))).toHaveLength(1);
  expect(gateway.stderr()).toContain('ulimit -n');
  limit(`${used + 1000}:${used + 1000}`);
  expect((await gateway.call('frankfurter_rates')).result).toBeDefined();
});
