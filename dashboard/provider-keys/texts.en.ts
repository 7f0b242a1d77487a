export const texts = {
  title: 'Provider keys',
  description:
    'The keys that the gateway sends to the providers of its tools. Stored keys are encrypted and never shown again. A change reaches every client within a second.',
  count: '{{set}} of {{all}} set',
  quota: 'Requests since midnight in Seoul: {{requests}}. Resets at {{time}}.',
  tools_one: '{{count}} tool',
  tools_other: '{{count}} tools',
  datasets_one: '{{count}} dataset',
  datasets_other: '{{count}} datasets',
  empty: { title: 'No tool needs a key', text: 'No preset uses a provider key.' },
  origin: {
    environment: 'Set in the environment',
    sandbox: 'Sandbox',
  },
  changed: {
    you: 'Changed <time/> by you',
    cli: 'Changed <time/> on the command line',
    person: 'Changed <time/> by {{by}}',
  },
  cannotStore: {
    title: 'Keys cannot be stored yet',
    text: 'This gateway has no encryption key. Create one, set it as ENCRYPTION_KEY on every gateway that uses this database, and restart them. Keys set in the environment work without it.',
    command: 'Create an encryption key',
  },
  notice: {
    environment:
      'The gateway takes this key from its environment, which takes precedence over a stored key. To manage it here, store it, remove {{name}} from the environment and restart the gateway.',
    environmentStored:
      'A value is also stored, but the environment takes precedence. To use the stored value, remove {{name}} from the environment and restart the gateway.',
    sandbox:
      'The sandbox accepts any value, so the tools work without this key. If you store a key here, the sandbox uses it.',
    unneeded: 'No preset needs this key any more. You can remove it.',
  },
  form: {
    title: 'Set the key',
    replace: 'Replace the key',
    value: 'Key',
    valueDescription: 'Paste it exactly as the provider shows it. It is sent to the gateway only.',
    tool: 'Test with',
    toolDescription: 'Makes one real call, recorded in the audit log of {{tenant}}.',
    test: 'Test',
    testInUse: 'Test the key in use',
    testValue: 'Test before saving',
    save: 'Save',
    saved: '{{name}} is set',
    savedText_one: 'Its tool can be called now.',
    savedText_other: 'Its {{count}} tools can be called now.',
    savedUnused: 'It is used after you remove the key from the environment.',
    remove: 'Remove',
    tooLong: 'A key has at most {{max}} characters.',
    control: 'The key contains a line break or another control character. Copy it again.',
  },
  remove: {
    title: 'Remove {{name}}?',
    text_one:
      'Calls of its tool fail until the key is set again. Data that was fetched with it stays in the cache until it expires.',
    text_other:
      'Calls of its {{count}} tools fail until the key is set again. Data that was fetched with it stays in the cache until it expires.',
    unused: 'The stored value is deleted. The gateway keeps using the key from its environment.',
    done: '{{name}} is removed',
  },
  source: {
    title: 'How to get the key',
    open: 'Open {{host}}',
    steps: {
      signUp: 'Sign in at the provider and apply for a key.',
      apply: 'Apply for every dataset that you want to use, with the same account.',
      copy: 'Copy the key, paste it here, and test it before you save it.',
    },
  },
  state: {
    missing: 'Not set',
    unreadable: 'Cannot be read',
    wrong_key: 'Key refused',
    blocked: 'Key blocked',
    expired: 'Approval expired',
    not_applied: 'Not approved',
    exhausted: 'Quota used up',
    withdrawn: 'Withdrawn by the provider',
    propagating: 'Approval not active yet',
    works: 'Works',
    unknown: 'Not tested yet',
  },
  partial: {
    wrong_key: 'Key refused for {{count}} of {{all}} datasets',
    blocked: 'Key blocked for {{count}} of {{all}} datasets',
    expired: '{{count}} of {{all}} datasets expired',
    not_applied: '{{count}} of {{all}} datasets not approved',
    exhausted: 'Quota used up for {{count}} of {{all}} datasets',
    withdrawn: '{{count}} of {{all}} datasets withdrawn',
    propagating: '{{count}} of {{all}} datasets not active yet',
  },
  advice: {
    borrowed: "Ask the operator to repair the gateway's key, or set your own key here.",
    unreadable: 'Set the key again, or restore the ENCRYPTION_KEY with which it was stored.',
    wrong_key:
      'Check that the key was copied completely, and set it again. It can take an hour until the provider accepts a new key.',
    blocked:
      "Ask the provider why it blocks the key. If it refuses the gateway's address, register the address there.",
    expired: 'Extend the approval at the provider, then test the key again.',
    not_applied:
      'Apply at the provider for each dataset that is not approved, with the account of the key.',
    exhausted: 'Wait until the quota resets, or request a higher quota from the provider.',
    withdrawn:
      'The key is not the cause: the provider has withdrawn an operation. Update the preset.',
    propagating: 'Wait until the provider has activated the approval. This takes up to 72 hours.',
  },
  evidence: 'The provider says',
  datasetList: {
    title: 'Datasets and their tools',
    filter: 'Filter by name',
    noMatch: 'No results',
    apply: 'Apply',
    applyFor: 'Apply for {{name}}',
  },
  quotaUse: {
    bar: 'Requests used today for {{name}}',
    used: '{{used}} requests today',
    left: '{{left}} of {{limit}} requests left',
    resets: 'resets',
    share: "This tenant's share: {{share}}, used {{used}}",
    tenants: 'Used by',
  },
  policy: {
    label: 'Tenants that have no key of their own use this key',
    description: 'If off, each tenant needs its own key, and calls of tenants without one fail.',
  },
  origins: {
    title: 'Where registered APIs may send this key',
    description:
      'Only to the hosts of presets that need it, to the hosts of data.go.kr, and to origins that an admin allows.',
    waits: 'An API is waiting',
    allow: 'Allow',
    withdraw: 'Withdraw',
    withdrawn: 'Registered APIs no longer send the key to {{origin}}.',
    other: 'Another origin',
    invalid: 'Enter an address such as https://api.example.com.',
    question: 'Send the key to this origin?',
    consequence:
      'Registered APIs of this tenant will send {{name}} to {{origin}}. Whoever runs that server can read the key.',
  },
  own: {
    title: 'Your provider keys',
    description:
      'The keys that calls of this tenant send to the providers. A key that you set here takes precedence, and only this tenant uses its quota and the data fetched with it. Keys are encrypted and never shown again.',
    holder: { tenant: 'Your key', operator: "Operator's key" },
    meaning: {
      tenant: 'Calls send the key of this tenant.',
      operator:
        "Calls send the operator's key, whose quota all tenants share. Set your own key to use its quota instead.",
      missing: 'Calls fail until a key is set.',
    },
    remove: {
      shared: "Calls send the operator's key again, if it is set.",
      own: 'Calls fail until a key is set again, because the operator does not share a key.',
    },
  },
  test: {
    verdict: {
      works: 'The key works',
      key_invalid: 'The provider does not accept the key',
      key_blocked: 'The provider has suspended the key',
      key_expired: 'The approval has expired',
      not_applied: 'The key is valid, but this dataset has not been applied for',
      address_refused: 'The provider does not accept the key from this address',
      quota_used_up: 'The key is valid, but the quota for today is used up',
      withdrawn: 'The provider has withdrawn this operation',
      too_fast: 'Too many requests',
      upstream_unavailable: 'The provider does not respond correctly',
      unclear: 'The provider refused the call for another reason',
    },
    next: {
      works: 'The provider accepted it.',
      worksUnsaved: 'The provider accepted it. Save it now.',
      key_invalid:
        'Check that it was copied completely. It can take an hour until the provider accepts a new key.',
      key_unknown:
        'The portal does not know the key for this dataset. Check that you copied it completely and applied for the dataset. A new key can take an hour. If another tool works, you only need to apply for this dataset.',
      key_blocked: 'Ask the provider why.',
      key_expired: 'Extend the approval at the provider, then test again.',
      not_applied:
        'Apply for the dataset with the account of the key. Other datasets may work already: test with another tool.',
      address_refused: 'Register the address of the gateway at the provider.',
      quota_used_up: 'Wait until midnight in Korea, or request a higher quota from the provider.',
      withdrawn: 'The key is not the cause. Update the preset and test with another tool.',
      too_fast: 'Wait a minute, then test again.',
      upstream_unavailable: 'The key could not be tested. Test it again later.',
      unclear: 'The response is in the audit log. Test with another tool.',
    },
    called: 'Called {{tool}}',
    status: 'HTTP {{status}}',
    code: 'result code {{code}}',
  },
} as const;
