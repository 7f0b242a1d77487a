import { PUBLIC_DATA_TOOLS } from '../public-data/tool-domain.ts';
import { serveDescriptions } from '../registrations/steps/serve-descriptions.ts';

serveDescriptions(PUBLIC_DATA_TOOLS);
