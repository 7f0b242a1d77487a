import { servePayloads } from '../upstreams/payload/create-payload-normaliser.ts';
import { PUBLIC_DATA_PAYLOADS } from './payload-domain.ts';

servePayloads(PUBLIC_DATA_PAYLOADS);
