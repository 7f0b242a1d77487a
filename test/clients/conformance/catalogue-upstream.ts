import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SeenRequest } from '../../support/fixture-upstream.ts';

/** One red pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';
/** A sound without samples: mono, 8000 of 8 bits a second. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

/** Progress is told every two seconds; the suite wants to hear of it three times. */
const LONG_MS = 7000;

type Answer = (response: ServerResponse) => void | Promise<void>;

const text =
  (words: string): Answer =>
  (response) =>
    void response.setHeader('content-type', 'text/plain').end(words);

const bytes =
  (contentType: string, base64: string): Answer =>
  (response) =>
    void response.setHeader('content-type', contentType).end(Buffer.from(base64, 'base64'));

const content =
  (...blocks: object[]): Answer =>
  (response) =>
    void response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ content: blocks }));

const resource = (uri: string, mimeType: string, words: string): object => ({
  type: 'resource',
  resource: { uri, mimeType, text: words },
});

const ANSWERS: Readonly<Record<string, Answer>> = {
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

/** Answers the tools of catalogue.yaml. `changeTools` is run when the suite wants the tool list to change. */
export const answerCatalogue =
  (changeTools: () => Promise<void>) =>
  async ({ url }: SeenRequest, response: ServerResponse): Promise<void> => {
    if (url === '/trigger-tool-change') await changeTools();
    await (ANSWERS[url] ?? text('Done.'))(response);
  };
