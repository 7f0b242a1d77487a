import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createMCPClient } from '@ai-sdk/mcp';
import { createOpenAI } from '@ai-sdk/openai';
import { Gemini, InMemoryRunner, LlmAgent, MCPToolset } from '@google/adk';
import { GoogleGenAI, mcpToTool } from '@google/genai';
import { HumanMessage, type ToolMessage } from '@langchain/core/messages';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Agent, MCPServerStreamableHttp, OpenAIProvider, Runner } from '@openai/agents';
import { generateText, type LanguageModel, stepCountIs } from 'ai';

/** The address of the gateway with the key for it, and that of the model. */
export interface Places {
  readonly url: string;
  readonly key: string;
  readonly modelUrl: string;
}

/** A package through which programs give the gateway's tools to a model. */
export interface ModelPackage {
  readonly name: string;
  /** Asks a question, runs the tools that the model calls, and tells it their results. */
  readonly ask: (places: Places) => Promise<void>;
}

const QUESTION = 'How is the weather?';
const MODEL = 'scripted';
const SECRET = 'scripted';

async function askThroughAiSdk(model: LanguageModel, { url, key }: Places): Promise<void> {
  const client = await createMCPClient({
    transport: { type: 'http', url, headers: { 'x-api-key': key } },
  });
  try {
    await generateText({
      model,
      tools: await client.tools(),
      prompt: QUESTION,
      stopWhen: stepCountIs(3),
      maxRetries: 0,
    });
  } finally {
    await client.close();
  }
}

async function askThroughLangChain({ url, key, modelUrl }: Places): Promise<void> {
  const client = new MultiServerMCPClient({
    gateway: { transport: 'http', url, headers: { 'x-api-key': key } },
  });
  try {
    const tools = await client.getTools();
    const model = new ChatGoogleGenerativeAI({
      model: MODEL,
      apiKey: SECRET,
      baseUrl: modelUrl,
      maxRetries: 0,
    }).bindTools(tools);
    const question = new HumanMessage(QUESTION);
    const answer = await model.invoke([question]);
    const [call] = answer.tool_calls ?? [];
    const tool = tools.find(({ name }) => name === call?.name);
    const result: ToolMessage = await tool?.invoke({ ...call, type: 'tool_call' });
    await model.invoke([question, answer, result]);
  } finally {
    await client.close();
  }
}

async function askThroughGenAi({ url, key, modelUrl }: Places): Promise<void> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { 'x-api-key': key } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  try {
    const ai = new GoogleGenAI({ apiKey: SECRET, httpOptions: { baseUrl: modelUrl } });
    await ai.models.generateContent({
      model: MODEL,
      contents: QUESTION,
      config: { tools: [mcpToTool(client)] },
    });
  } finally {
    await client.close();
  }
}

async function askThroughAdk({ url, key, modelUrl }: Places): Promise<void> {
  const toolset = new MCPToolset({
    type: 'StreamableHTTPConnectionParams',
    url,
    transportOptions: { requestInit: { headers: { 'x-api-key': key } } },
  });
  // The only way to another address.
  process.env['GOOGLE_GEMINI_BASE_URL'] = modelUrl;
  try {
    const agent = new LlmAgent({
      name: 'agent',
      model: new Gemini({ model: MODEL, apiKey: SECRET }),
      tools: [toolset],
    });
    const runner = new InMemoryRunner({ agent, appName: 'test' });
    const newMessage = { role: 'user', parts: [{ text: QUESTION }] };
    for await (const event of runner.runEphemeral({ userId: 'user', newMessage })) void event;
  } finally {
    delete process.env['GOOGLE_GEMINI_BASE_URL'];
    await toolset.close();
  }
}

const askThroughAgents =
  (convertSchemasToStrict: boolean) =>
  async ({ url, key, modelUrl }: Places): Promise<void> => {
    const server = new MCPServerStreamableHttp({
      url,
      requestInit: { headers: { 'x-api-key': key } },
    });
    await server.connect();
    try {
      const agent = new Agent({
        name: 'agent',
        model: MODEL,
        mcpServers: [server],
        mcpConfig: { convertSchemasToStrict },
      });
      const modelProvider = new OpenAIProvider({ apiKey: SECRET, baseURL: modelUrl });
      await new Runner({ modelProvider, tracingDisabled: true }).run(agent, QUESTION);
    } finally {
      await server.close();
    }
  };

export const MODEL_PACKAGES: readonly ModelPackage[] = [
  {
    name: '@ai-sdk/google',
    ask: (places) =>
      askThroughAiSdk(
        createGoogleGenerativeAI({ apiKey: SECRET, baseURL: places.modelUrl })(MODEL),
        places,
      ),
  },
  {
    name: '@ai-sdk/openai',
    ask: (places) =>
      askThroughAiSdk(createOpenAI({ apiKey: SECRET, baseURL: places.modelUrl })(MODEL), places),
  },
  {
    name: '@ai-sdk/anthropic',
    ask: (places) =>
      askThroughAiSdk(createAnthropic({ apiKey: SECRET, baseURL: places.modelUrl })(MODEL), places),
  },
  { name: '@langchain/google-genai with @langchain/mcp-adapters', ask: askThroughLangChain },
  { name: '@google/genai', ask: askThroughGenAi },
  { name: '@google/adk', ask: askThroughAdk },
  { name: '@openai/agents', ask: askThroughAgents(false) },
  { name: '@openai/agents, strict', ask: askThroughAgents(true) },
];
