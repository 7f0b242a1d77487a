import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { connectSse12WithoutKeyOnStream } from './support/typescript-sdk-1.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

test('SDK 1.12.0 over SSE is refused at once when it opens the stream without a key', async () => {
  await expect(connectSse12WithoutKeyOnStream(gateway)).rejects.toThrow(
    'SSE error: Non-200 status code (401)',
  );
});
