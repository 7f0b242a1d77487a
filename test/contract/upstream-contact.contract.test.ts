import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { VERSION } from '../../src/platform/kernel/version.ts';
import { startTestGateway } from '../support/gateway.ts';
import { verifies } from './requirements.ts';

const presetOf = (name: string, extension: string) => `openapi: 3.1.0
info: { title: The ${name}, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
${extension}
paths:
  /${name}:
    get: { operationId: ${name}_list, description: Everything there is., responses: { "200": { description: Anything. } } }
`;

const PRESETS = {
  library: presetOf('library', 'x-contact-header: User-Agent'),
  museum: presetOf('museum', 'x-contact-header: Museum-User-Agent'),
  other: presetOf('other', ''),
};

/** What each provider is told, and what the log says at start. */
async function introduce(env: Readonly<Record<string, string>>) {
  let log = '';
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      log += String(chunk);
      done();
    },
  });
  const logger = pino({ level: 'warn' }, stream);
  const gateway = await startTestGateway({ presets: PRESETS, env, logger });
  onTestFinished(() => gateway.close());
  const told: Record<string, unknown> = {};
  for (const name of Object.keys(PRESETS)) {
    await gateway.call(`${name}_list`);
    const { headers } = gateway.upstream.seen.at(-1) ?? {};
    told[name] = [headers?.['user-agent'], headers?.['museum-user-agent']];
  }
  return { told, log };
}

test(`with UPSTREAM_CONTACT, every provider learns it: ${verifies('contract.upstream-contact')}`, async () => {
  const { told, log } = await introduce({ UPSTREAM_CONTACT: 'https://example.com/data' });
  const agent = `tool-gateway/${VERSION} (+https://example.com/data)`;
  expect(told).toEqual({
    library: [agent, undefined],
    museum: [agent, agent],
    other: [agent, undefined],
  });
  expect(log).not.toContain('UPSTREAM_CONTACT');
});

test(`without a contact, the log names the presets whose providers may refuse: ${verifies('contract.upstream-contact')}`, async () => {
  const { told, log } = await introduce({});
  const agent = `tool-gateway/${VERSION}`;
  expect(told['museum']).toEqual([agent, agent]);
  expect(log).toMatch(/The library \(fixture\/library\), The museum \(fixture\/museum\)/);
  expect(log).toContain('Set UPSTREAM_CONTACT');
  expect(log).not.toContain('The other');
});
