import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeenRequest } from '../../support/fixture-upstream.ts';

/** One red pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';
/** A sound without samples: mono, 8000 of 8 bits a second. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

/** The gateway reports progress every two seconds; the suite expects three notifications. */
const LONG_MS = 7000;

type Responder = (response: ServerResponse) => void | Promise<void>;

const text =
  (words: string): Responder =>
  (response) =>
    void response.setHeader('content-type', 'text/plain').end(words);

const bytes =
  (contentType: string, base64: string): Responder =>
  (response) =>
    void response.setHeader('content-type', contentType).end(Buffer.from(base64, 'base64'));

const content =
  (...blocks: object[]): Responder =>
  (response) =>
    void response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ content: blocks }));

const resource = (uri: string, mimeType: string, words: string): object => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
});

const RESPONDERS: Readonly<Record<string, Responder>> = {
  '/simple-text': text('This is a simple text response for testing.'),
  '/image': bytes('image/png', PNG),
  '/audio': bytes('audio/wav', WAV),
  '/embedded-resource': content(
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  '/multiple-content-types': content(
    { type: 'text', text: 'Multiple content types test:' },
    { type: 'image', data: PNG, mimeType: 'image/png' },
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ),
  '/error': (response) => {
    response.statusCode = 500;
    return text('This tool intentionally returns an error for testing')(response);
  },
  '/progress': async (response) => {
    await sleep(LONG_MS);
    return text('Done.')(response);
  },
};

/** Serves the tools of catalogue.yaml. `changeTools` runs when the suite requests a change of the tool list. */
export const serveCatalogue =
  (changeTools: () => Promise<void>) =>
  async ({ url }: SeenRequest, response: ServerResponse): Promise<void> => {
    if (url === '/trigger-tool-change') await changeTools();
    await (RESPONDERS[url] ?? text('Done.'))(response);
  };
