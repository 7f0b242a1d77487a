import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDir, temporaryGateway } from '../process/temporary.ts';
import { encodeCall } from '../support/gateway-process.ts';
import { nginxAvailable, startNginx } from '../support/nginx.ts';
import { freePort } from '../support/ports.ts';
import { readText } from './deployments.ts';

const DOMAIN = 'gateway.example.com';

/** deploy/nginx.conf on another port, with a certificate of its own. */
async function startSite(gatewayUrl: string) {
  const dir = await temporaryDir();
  const [key, certificate] = [join(dir, 'key.pem'), join(dir, 'certificate.pem')];
  const subject = ['-subj', `/CN=${DOMAIN}`, '-keyout', key, '-out', certificate];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  execFileSync('openssl', ['req', '-x509', '-nodes', ...kind, ...subject], { stdio: 'ignore' });
  const site = readText('deploy/nginx.conf')
    .replace(/\/etc\/letsencrypt\S+fullchain\.pem/, certificate)
    .replace(/\/etc\/letsencrypt\S+privkey\.pem/, key);
  const nginx = await startNginx(new URL(gatewayUrl).host, (port, target) =>
    site.replace('listen 443', `listen 127.0.0.1:${port}`).replace('127.0.0.1:8080', target),
  );
  onTestFinished(() => nginx.close());
  return nginx.url.replace('http:', 'https:');
}

test.skipIf(!nginxAvailable)('deploy/nginx.conf forwards calls and streams over TLS', async () => {
  const port = await freePort();
  const gateway = await temporaryGateway({
    DATA_DIR: await temporaryDir(),
    PORT: String(port),
    BASE_URL: `https://${DOMAIN}`,
    TRUST_PROXY: '1',
    SSE_KEEPALIVE_MS: '100',
  });
  const url = await startSite(`http://127.0.0.1:${port}`);
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  onTestFinished(() => dispatcher.destroy());
  const headers = { host: DOMAIN, 'x-api-key': gateway.key };

  const call = await request(`${url}/mcp`, {
    dispatcher,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: encodeCall('frankfurter_rates', {}),
  });
  expect(await call.body.json()).toMatchObject({ result: { outcome: 'ok' } });

  const stream = await request(`${url}/mcp/sse`, { dispatcher, headers });
  expect(stream.headers['content-type']).toMatch(/^text\/event-stream/);
  expect(stream.headers['strict-transport-security']).toBeDefined();
  for await (const chunk of stream.body) {
    expect(String(chunk)).not.toBe('');
    break;
  }
});
