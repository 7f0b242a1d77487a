import { MANAGED } from '../test/support/managed-operations.ts';
import { table } from './catalogue/markdown.ts';

/** docs/management.md: every operation of management, from where they are declared. */
export function managementPage(): string {
  const rows = MANAGED.map(({ operation, method, path, scope, summary, trail }) => [
    `\`${operation}\``,
    `${method} \`${path.replace('/api/v1/admin', '')}\``,
    scope,
    summary + trail.map((action) => ` \`${action}\``).join(','),
  ]);
  const noTools = MANAGED.filter(({ returnsSecret, takesSecret }) => returnsSecret || takesSecret);
  return `# Management

What API keys with a [scope](contract.md#management) manage, below \`/api/v1/admin\`. \`/openapi.json\` describes inputs and responses. Where an operation changes something, the action that the trail has of it follows. A tool of \`/mcp?mode=manage\` is named after the operation: \`keys_list\` is \`keysList\`. Operations with secrets are no tools: ${noTools.map(({ operation }) => `\`${operation}\``).join(', ')}.

${table(['Operation', 'Request', 'Scope', 'What it does'], rows)}
`;
}
