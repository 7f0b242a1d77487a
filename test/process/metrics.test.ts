import { expect, test } from 'vitest';
import { freePort } from '../support/ports.ts';
import { temporaryDir, temporaryGateway } from './temporary.ts';

test('metrics are served on METRICS_PORT and nowhere else', async () => {
  const port = await freePort();
  const gateway = await temporaryGateway({
    DATA_DIR: await temporaryDir(),
    METRICS_PORT: String(port),
  });
  await gateway.call('frankfurter_rates');
  await fetch(`${gateway.url}/api/v1/tools`, { headers: { 'x-api-key': 'wrong' } });
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  const text = await response.text();
  expect(text).toContain(
    'tool_gateway_calls_total{tool="frankfurter_rates",outcome="ok",cache="MISS"} 1',
  );
  expect(text).toContain('tool_gateway_security_events_total{event="auth_failed"} 1');
  expect(text).toContain('tool_gateway_security_events_total{event="tool_denied"} 0');
  for (const name of [
    'call_duration_seconds_count{tool="frankfurter_rates",outcome="ok",cache="MISS"} 1',
    'upstream_duration_seconds_count{server="economy/frankfurter",status="200"} 1',
    'http_requests_total{status="200"} 1',
    'http_requests_total{status="401"} 1',
    'refused_requests_total{reason="wrong_key"} 1',
    'cache_lookups_total{result="miss"} 1',
    'dependency_up{dependency="database",backend="embedded"} 1',
    'dependency_up{dependency="redis",backend="memory"} 1',
    'upstream_circuits_opened_total{source="preset"} 0',
    'upstream_queue{upstream="registered"} 0',
    'build_info{version="',
    'audit_missing 0',
    'memory_used_bytes 0',
    'memory_refused_total 0',
    'audit_degraded 0',
    'audit_oldest_waiting_seconds 0',
    'audit_dead_letters 0',
    'audit_dead_letters_dropped 0',
  ]) {
    expect(text).toContain(`tool_gateway_${name}`);
  }
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(404);
  expect((await fetch(`${gateway.url}/metrics`)).status).toBe(404);
});

test('METRICS_HOST is the address of the metrics, and HOST that of everything else', async () => {
  const port = await freePort();
  const gateway = await temporaryGateway({
    DATA_DIR: await temporaryDir(),
    METRICS_PORT: String(port),
    METRICS_HOST: '127.0.0.2',
  });
  expect((await fetch(`http://127.0.0.2:${port}/metrics`)).status).toBe(200);
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
  expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
});
