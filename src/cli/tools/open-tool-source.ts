import { readSettings } from '../../platform/config/settings.ts';
import {
  type GatewayOptions,
  gatewayKey,
  gatewayUrl,
  requireGatewayKey,
} from '../shared/gateway-address.ts';
import { loadPresetCatalog } from '../shared/preset-catalog.ts';
import { type ToolSource, toolsOfGateway, toolsOfPresets } from '../shared/tool-source.ts';

/** The gateway of the options or of the environment. Without address and key, the presets, which standard error says. */
export async function openToolSource(options: GatewayOptions): Promise<ToolSource> {
  if (options.url !== undefined || gatewayKey(options) !== undefined) {
    return toolsOfGateway({ url: gatewayUrl(options), key: requireGatewayKey(options) });
  }
  const settings = readSettings(process.env);
  process.stderr.write(
    `Presets of ${settings.PRESETS_DIR}. For the tools of a running gateway, give an API key with --key or TOOL_GATEWAY_API_KEY.\n`,
  );
  return toolsOfPresets(await loadPresetCatalog(settings));
}
