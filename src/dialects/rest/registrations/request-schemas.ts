import type { JsonSchema } from '../../../tools/model.ts';
import { TEXTS } from '../../json-rpc/component.ts';

/** `confirm_origins`, without its meaning. */
export const ORIGINS_LIST_SCHEMA: JsonSchema = { ...TEXTS, maxItems: 100 };

/** The member `auth`. */
export const AUTH_SCHEMA: JsonSchema = {
  $id: 'Auth',
  type: 'object',
  required: ['type'],
  description: 'What the gateway shows the API. It is encrypted and never returned.',
  properties: {
    type: { enum: ['none', 'bearer', 'basic', 'api_key', 'oauth2_client_credentials'] },
    token: { type: 'string', description: 'For `bearer` and `api_key`.' },
    username: { type: 'string', description: 'For `basic`.' },
    password: { type: 'string', description: 'For `basic`.' },
    in: { enum: ['header', 'query', 'cookie'], description: 'For `api_key`.' },
    key_name: { type: 'string', description: 'For `api_key`: name of the header or parameter.' },
    token_url: { type: 'string', description: 'For `oauth2_client_credentials`.' },
    client_id: { type: 'string', description: 'For `oauth2_client_credentials`.' },
    client_secret: { type: 'string', description: 'For `oauth2_client_credentials`.' },
    scope: { type: 'string', description: 'For `oauth2_client_credentials`; optional.' },
  },
};

/** `include` or `exclude`. */
export const FILTERS_SCHEMA: JsonSchema = {
  type: 'array',
  maxItems: 100,
  items: {
    $id: 'OperationFilter',
    type: 'object',
    minProperties: 1,
    properties: {
      tag: { type: 'string' },
      method: { type: 'string' },
      path: { type: 'string', description: '`*` stands for any characters.' },
      operationId: { type: 'string' },
    },
  },
};
