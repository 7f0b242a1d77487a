import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { load, type Target } from '../bench/load.ts';
import { LOAD_CORE, SERVER_CORE, startPinned, stopServers } from '../bench/processes.ts';
import { newApiKeyText } from '../src/platform/kernel/ids.ts';
const rounds = Number(process.argv[2] ?? 12), seconds = 2;
const dir = mkdtempSync(join(tmpdir(), 'ab-')); const key = newApiKeyText();
const body = JSON.stringify({ rows: Array.from({ length: 40 }, (_, n) => ({ id: `row-${n}`, name: '서울특별시', value: n * 1.5 })) });
writeFileSync(join(dir, 'u.conf'), `daemon off; worker_processes 1; pid ${dir}/u.pid; error_log stderr crit; events { worker_connections 1024; } http { access_log off; keepalive_requests 1000000000; client_body_temp_path ${dir}/b; proxy_temp_path ${dir}/p; fastcgi_temp_path ${dir}/f; uwsgi_temp_path ${dir}/w; scgi_temp_path ${dir}/s; server { listen 18081 reuseport; location / { default_type application/json; return 200 '${body}'; } } }`);
await startPinned(LOAD_CORE, 18081, { command: 'nginx', args: ['-c', join(dir, 'u.conf')] });
const text = readFileSync('/work/main/bench/main.ts', 'utf8');
const preset = /openapi: 3\.1\.0[\s\S]*?(?=`;)/.exec(text)![0].replace('${at(PORTS.upstream)}', 'http://127.0.0.1:18081');
const start = async (root: string, port: number, name: string) => {
  mkdirSync(join(dir, name, 'presets/bench'), { recursive: true });
  writeFileSync(join(dir, name, 'presets/bench/echo.yaml'), preset);
  return startPinned(SERVER_CORE, port, { command: process.execPath, args: [join(root, 'bin/tool-gateway.mjs'), 'start'], env: { PORT: String(port), DATA_DIR: join(dir, name, 'data'), PRESETS_DIR: join(dir, name, 'presets'), BOOTSTRAP_API_KEY: key, RATE_LIMIT_PER_MINUTE: '10000000', LOG_LEVEL: 'warn' } });
};
const pids = { base: await start('/tmp/h/base', 18083, 'base'), next: await start('/work/main', 18084, 'next'), bare: await startPinned(SERVER_CORE, 18085, { command: process.execPath, args: ['/work/main/bench/bare-server.ts', '18085', 'http://127.0.0.1:18081'] }) };
const ports = { base: 18083, next: 18084, bare: 18085 };
const kinds = ['hit', 'miss', 'streamable-hit'] as const;
const cpu: Record<string, number[]> = {};
try {
  for (let r = -1; r < rounds; r++) for (const kind of kinds) {
    const names = (['base', 'next', 'bare'] as const).filter((n) => n !== 'bare' || kind !== 'streamable-hit').sort(() => Math.random() - 0.5);
    for (const name of names) {
      const target: Target = { name, kind, url: `http://127.0.0.1:${ports[name]}/mcp`, pid: pids[name], marker: 'row-39' };
      const sample = await load(target, key, r < 0 ? 4 : seconds);
      if (r >= 0) (cpu[`${kind} ${name}`] ??= []).push(sample.cpuPerRequest);
      await sleep(50);
    }
  }
  const T = 2.1;
  const ratio = (a: number[], b: number[]) => { const l = a.map((x, i) => Math.log(x / b[i]!)); const m = l.reduce((s, x) => s + x, 0) / l.length; const sd = Math.sqrt(l.reduce((s, x) => s + (x - m) ** 2, 0) / (l.length - 1)); const h = (T * sd) / Math.sqrt(l.length); return `${Math.exp(m).toFixed(3)} [${Math.exp(m - h).toFixed(3)}, ${Math.exp(m + h).toFixed(3)}]`; };
  for (const kind of kinds) {
    console.log(kind, 'next/base', ratio(cpu[`${kind} next`]!, cpu[`${kind} base`]!));
    if (kind !== 'streamable-hit') console.log(kind, 'next/bare', ratio(cpu[`${kind} next`]!, cpu[`${kind} bare`]!), 'base/bare', ratio(cpu[`${kind} base`]!, cpu[`${kind} bare`]!));
  }
  for (const [k, v] of Object.entries(cpu)) console.log(k, (v.reduce((s, x) => s + x, 0) / v.length).toFixed(1), 'us');
} finally { await stopServers(); rmSync(dir, { recursive: true, force: true }); }
