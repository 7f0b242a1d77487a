import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { verifies } from './requirements.ts';

const PRESET = `openapi: 3.1.0
info: { title: Sky, version: "1" }
servers: [{ url: "http://fixture.invalid" }]
x-ko: { title: 하늘 서비스, parameters: { page: 페이지 번호 } }
paths:
  /sky:
    get:
      operationId: sky_now
      summary: The sky
      description: What the sky is like.
      x-ko: { title: 하늘 상태, summary: 하늘 상태를 조회합니다., parameters: { day: 날짜 } }
      parameters:
        - { name: day, in: query, description: Day., schema: { type: string } }
        - { name: page, in: query, description: Page., schema: { type: integer } }
        - { name: more, in: query, description: More., schema: { type: string } }
      responses: { "200": { description: Anything. } }
`;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ presets: { sky: PRESET } });
});
afterAll(() => gateway.close());

const KOREAN = {
  description: '하늘 상태를 조회합니다.',
  inputSchema: {
    properties: {
      day: { description: '날짜' },
      page: { description: '페이지 번호' },
      more: { description: 'More.' },
    },
  },
};

test(verifies('language.lists'), async () => {
  const find = (tools: { name: string }[]) => tools.find(({ name }) => name === 'sky_now');
  const get = async (path: string) =>
    (await gateway.json(path, { headers: { 'accept-language': 'ko' } })).body;
  for (const path of ['/registry/tools', '/registry/tools?limit=500', '/api/v1/tools?limit=500']) {
    const all = `${path}${path.includes('?') ? '&' : '?'}lang=ko`;
    expect(find((await get(path)).tools)).toMatchObject({ description: 'What the sky is like.' });
    expect(find((await get(all)).tools)).toMatchObject(KOREAN);
  }
  expect(await get('/api/v1/tools/sky_now?lang=ko')).toMatchObject({
    ...KOREAN,
    server: { name: '하늘 서비스' },
  });
  const { servers } = await get('/registry/servers?lang=ko');
  expect(servers.map(({ name }: { name: string }) => name)).toContain('하늘 서비스');
  expect((await gateway.json('/api/v1/tools?lang=fr')).status).toBe(400);
});
