import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Tool } from '../tools/model.ts';
import { argumentReaderOf, prepareTool } from './prepared-tool.ts';

/**
 * Creates every tool's validator and encoder. Each takes milliseconds, so one is created per turn of the event loop:
 * neither startup nor a call waits for all of them.
 */
export async function prepareTools(
  tools: readonly Tool[],
  logger: Pick<Logger, 'error'>,
): Promise<void> {
  for (const tool of tools) {
    await nextTurn();
    try {
      argumentReaderOf(tool);
      prepareTool(tool);
    } catch (err) {
      logger.error({ tool: tool.name, err }, 'the tool cannot be prepared');
    }
  }
}
