import { corpusDocuments } from './documents.ts';
import { type Played, playDocument } from './play.ts';
import { recordTable, sharesOf, sharesTable } from './shares.ts';

// Writes what becomes of the descriptions to docs/openapi-report.md. Review the difference before you commit it.
const played: Played[] = [];
for (const document of corpusDocuments()) played.push(await playDocument(document));
recordTable(sharesTable(sharesOf(played)));
