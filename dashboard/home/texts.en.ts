export const texts = {
  title: 'Tool Gateway',
  claim: 'Public data as tools for programs and language models',
  lead: 'One address and one key for weather, economic and culture data of Korea and the world. Over MCP and JSON-RPC, with caching, limits, and a record of every call.',
  browse: 'Browse the tools',
  toSignIn: 'Sign in to the dashboard',
  example: 'A call, and the same call again',
  figures: { tools: 'Tools', apis: 'Data services' },
  find: {
    title: 'Find a tool',
    label: 'Search the public tools',
    placeholder: 'exchange rate, 미세먼지 …',
    nothing: 'No tools found. Try other words.',
    all_one: 'Show {{count}} tool',
    all_other: 'Show all {{count}} tools',
  },
  connect: {
    title: 'Connect Claude, ChatGPT or your own program',
    signIn: 'Enter this address in the host and sign in when it asks you to. You need no key.',
    key: 'Enter this address and an API key in the host or the program.',
    address: 'MCP address',
  },
  key: {
    title: 'How to get a key',
    join: {
      title: 'Join a tenant',
      text: 'An administrator invites you by link. The operator of a new gateway signs in with the account shown at its first start.',
    },
    create: {
      title: 'Create a key',
      text: 'In the settings: give it a name, the tools that it may use, and a limit. It is shown once.',
    },
    call: {
      title: 'Call the gateway',
      text: 'Send the key with every request, from curl, an SDK or any MCP client.',
    },
    example: 'List the tools with curl',
  },
} as const;
