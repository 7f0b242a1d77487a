import { Command, InvalidArgumentError } from 'commander';
import { decideRegistration } from './decide-registration.ts';
import { listRegistrations } from './list-registrations.ts';
import { showRegistration } from './show-registration.ts';

const EXAMPLE_ID = 'reg_01KA3Z2V8QK6D4T0N9XJ5W7M1C';

export function registrationsCommand(): Command {
  const registrations = new Command('registrations').description(
    'Show the APIs that tenants have registered, and approve those that are to be public.',
  );
  registrations
    .command('list')
    .description('List registered APIs, oldest first.')
    .option('--tenant <slug>', 'only those of this tenant')
    .option('--awaiting', 'only those that wait for approval')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', '\nExample: tool-gateway registrations list --awaiting')
    .action(listRegistrations);
  registrations
    .command('show')
    .description(
      'Print a registration as JSON, with its report; of several versions, the one that waits.',
    )
    .argument('<id>', 'id of the registration, as shown by registrations list')
    .option('--document', 'print its stored description instead')
    .addHelpText('after', `\nExample: tool-gateway registrations show ${EXAMPLE_ID}`)
    .action(showRegistration);
  registrations
    .command('approve')
    .description('Make an API available to all tenants. Running gateways follow within a second.')
    .argument('<id>', 'id of the registration, as shown by registrations list')
    .option(
      '--reviewed <revision>',
      'approve no other revision, as shown by registrations show',
      readRevision,
    )
    .addHelpText('after', EXAMPLE)
    .action((id: string, { reviewed }: { reviewed?: number }) =>
      decideRegistration(id, 'approve', reviewed),
    );
  registrations
    .command('reject')
    .description(
      'Refuse to make an API public. One that was private before stays so; another is deleted.',
    )
    .argument('<id>', 'id of the registration, as shown by registrations list')
    .addHelpText('after', `\nExample: tool-gateway registrations reject ${EXAMPLE_ID}`)
    .action((id: string) => decideRegistration(id, 'reject'));
  return registrations;
}

function readRevision(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

const EXAMPLE = `
Examples:
  tool-gateway registrations list --awaiting
  tool-gateway registrations show ${EXAMPLE_ID}
  tool-gateway registrations approve ${EXAMPLE_ID} --reviewed 1`;
