import { describeClients } from './support/describe-clients.ts';
import { straightTo } from './support/route.ts';

describeClients('MCP clients', straightTo);
