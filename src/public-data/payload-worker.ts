import { servePayloads } from '../upstreams/payload/serve-payloads.ts';
import { PUBLIC_DATA_PAYLOADS } from './payload-domain.ts';

servePayloads(PUBLIC_DATA_PAYLOADS);
