import { describe } from 'vitest';
import { nginxAvailable } from '../support/nginx.ts';
import { describeClients } from './support/describe-clients.ts';
import { behindNginx } from './support/route.ts';

describe.runIf(nginxAvailable)('behind nginx', () => {
  describeClients('MCP clients', behindNginx);
});
