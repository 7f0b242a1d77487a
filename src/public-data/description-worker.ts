import { serveDescriptions } from '../registrations/compile/serve-descriptions.ts';
import { PUBLIC_DATA_TOOLS } from './tool-domain.ts';

serveDescriptions(PUBLIC_DATA_TOOLS);
