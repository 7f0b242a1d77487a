import { Type } from 'typebox';
import {
  CONNECT_CLIENT_NAMES,
  CONNECT_CLIENTS,
  type ConnectClientName,
  type ConnectTarget,
} from '../../access/connect/connect-clients.ts';
import { LANGUAGES, type Language } from '../../tools/catalog/in-language.ts';
import { personRoute } from './admin-route.ts';

export interface ConnectRoutesDeps {
  /** Address of the gateway; undefined if no setting says so. */
  readonly baseUrl: string | undefined;
}

/** In place of a key, for the page to replace. Every snippet contains it unchanged, and a key needs no quotes either. */
const KEY_PLACE = 'YOUR_API_KEY';

/** The clients with which a new user most likely begins. The others follow in the order of `connect`. */
const FIRST: readonly ConnectClientName[] = [
  'curl',
  'typescript-sdk',
  'python-sdk',
  'claude-code',
  'cursor',
  'vscode',
];

/** `GET /connect`: how every client is set up, ready to copy. */
export const createConnectRoutes = ({ baseUrl }: ConnectRoutesDeps) => ({
  'GET /connect': personRoute({
    input: {
      origin: Type.String({ maxLength: 300, pattern: '^https?://[\\w.:\\[\\]-]+$' }),
      lang: Type.Optional(Type.Enum([...LANGUAGES])),
    },
    handle: (_context, { origin, lang }) => {
      const target: ConnectTarget = {
        url: (baseUrl ?? origin).replace(/\/+$/, ''),
        key: KEY_PLACE,
        // The paths of this machine mean nothing to another one, and would reveal how it is set up.
        command: ['node', '/path/to/tool-gateway/bin/tool-gateway.mjs'],
      };
      const clients = orderedNames().map((name) => clientOf(name, target, lang));
      // Some clients let a person sign in, and take no key.
      const withKey = clients.filter(({ snippet }) => snippet.includes(KEY_PLACE));
      return { keyPlace: KEY_PLACE, clients: withKey };
    },
  }),
});

const orderedNames = (): ConnectClientName[] => [...new Set([...FIRST, ...CONNECT_CLIENT_NAMES])];

function clientOf(name: ConnectClientName, target: ConnectTarget, lang?: Language) {
  const { title, language, snippet, ...client } = CONNECT_CLIENTS[name];
  const instructions = lang === 'ko' ? INSTRUCTIONS_IN_KOREAN[name] : client.instructions;
  return { name, title, instructions, language, snippet: snippet(target) };
}

const INSTRUCTIONS_IN_KOREAN: Readonly<Record<ConnectClientName, string>> = {
  'claude-code':
    '프로젝트에서 실행하세요. 모든 프로젝트에서 도구를 쓰려면 이름 앞에 --scope user를 넣으세요.',
  codex: '~/.codex/config.toml 또는 신뢰하는 프로젝트의 .codex/config.toml에 추가하세요.',
  'claude-desktop':
    'claude_desktop_config.json(Settings > Developer > Edit Config)에 추가하고 Claude Desktop을 다시 시작하세요.',
  'claude-ai':
    'Customize > Connectors > Add custom connector에 입력하세요. 주소는 https이고 인터넷에서 접속할 수 있어야 합니다.',
  chatgpt:
    '개발자 모드를 켜고 Settings > Apps > Create에 입력하세요. 주소는 https이고 인터넷에서 접속할 수 있어야 합니다. 키 입력란이 없으며 사람이 로그인합니다.',
  'copilot-studio':
    'Tools > Add a tool > New tool > Model Context Protocol에 입력하세요. 사람이 로그인합니다.',
  'gemini-cli': '터미널에서 실행하세요. 모든 프로젝트에서 도구를 쓰려면 --scope user를 추가하세요.',
  cursor: '~/.cursor/mcp.json 또는 프로젝트의 .cursor/mcp.json에 추가하세요.',
  vscode:
    '작업 공간의 .vscode/mcp.json 또는 사용자 설정("MCP: Open User Configuration")에 추가하세요.',
  windsurf: '~/.codeium/windsurf/mcp_config.json에 추가하고 MCP 서버 목록을 새로 고치세요.',
  inspector: 'Node.js 22.19 이상이 있는 터미널에서 실행하세요. 도구 목록을 보여 줍니다.',
  'typescript-sdk': '"npm install @modelcontextprotocol/client"를 실행하고 모듈에 추가하세요.',
  'python-sdk': '"pip install mcp"를 실행하고 프로그램에 추가하세요.',
  langchain: `"pip install 'langchain[mcp]'"를 실행하고 프로그램에 추가하세요.`,
  'openai-agents': '"pip install openai-agents"를 실행하고 프로그램에 추가하세요.',
  'ai-sdk': '"npm install @ai-sdk/mcp"를 실행하고 모듈에 추가하세요.',
  curl: '터미널에서 실행하세요. 도구 세 개를 보여 줍니다.',
  stdio: '호스트의 설정에 추가하세요. "mcpServers" 대신 다른 이름을 쓰는 호스트도 있습니다.',
};
