// @ts-check
"use strict";

/**
 * Registration of Aurora's MCP servers in VS Code.
 *
 * `aurora.context` starts `aur mcp` in each folder of a trusted workspace, or names the server at `aurora.apiUrl`.
 * `aura.context` names the server at `aura.apiUrl`.
 */

const vscode = require("vscode");

const LABEL = "Aurora";
const OTHER_LABEL = "Aura Codebase Context";
const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"];
const PROVIDERS = [
  { id: "aurora.context", label: LABEL, section: "aurora", startsServer: true },
  { id: "aura.context", label: OTHER_LABEL, section: "aura", startsServer: false },
];

/**
 * Provider of the servers of one id.
 *
 * @implements {vscode.McpServerDefinitionProvider<vscode.McpServerDefinition>}
 */
class ServerProvider {
  /**
   * @param {typeof PROVIDERS[number]} declaration
   * @param {vscode.SecretStorage} secrets
   * @param {vscode.Event<void>} onDidChange
   * @param {string} version of this extension
   */
  constructor(declaration, secrets, onDidChange, version) {
    this.declaration = declaration;
    this.secrets = secrets;
    this.version = version;
    this.onDidChangeMcpServerDefinitions = onDidChange;
  }

  /**
   * List the servers without asking the person anything.
   *
   * @returns {vscode.McpServerDefinition[]}
   */
  provideMcpServerDefinitions() {
    const address = readAddress(this.declaration.section);
    if (address) {
      const uri = parseAddress(address);
      return uri ? [new vscode.McpHttpServerDefinition(this.declaration.label, uri, {}, this.version)] : [];
    }
    return this.declaration.startsServer && vscode.workspace.isTrusted ? this.listLocalServers() : [];
  }

  /**
   * Complete a server before the editor starts it: the access token of an address.
   *
   * @param {vscode.McpServerDefinition} server
   * @returns {Promise<vscode.McpServerDefinition>}
   */
  async resolveMcpServerDefinition(server) {
    if (!(server instanceof vscode.McpHttpServerDefinition)) {
      return server;
    }
    const token = await this.secrets.get(nameSecret(server.uri));
    if (token && !isPrivate(server.uri)) {
      throw new Error(
        `The access token is not sent to ${readOrigin(server.uri)} without encryption. Use an address with https.`,
      );
    }
    if (token) {
      server.headers = { ...server.headers, Authorization: `Bearer ${token}` };
    }
    return server;
  }

  /** @returns {vscode.McpStdioServerDefinition[]} */
  listLocalServers() {
    const settings = vscode.workspace.getConfiguration("aurora");
    const command = settings.get("command", "aur").trim() || "aur";
    const toolsets = settings.get("toolsets", /** @type {string[]} */ ([]));
    const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === "file");
    return folders.map((folder) => {
      const label = folders.length > 1 ? `${LABEL} (${folder.name})` : LABEL;
      const words = ["mcp", "--project", folder.uri.fsPath, ...toolsets.flatMap((name) => ["--toolsets", name])];
      const server = new vscode.McpStdioServerDefinition(label, command, words, {}, this.version);
      server.cwd = folder.uri;
      return server;
    });
  }
}

/**
 * Register both providers and the commands.
 *
 * @param {vscode.ExtensionContext} context
 */
function activate(context) {
  /** @type {vscode.EventEmitter<void>} */
  const changes = new vscode.EventEmitter();
  const version = String(context.extension.packageJSON.version);
  context.subscriptions.push(changes);
  for (const declaration of PROVIDERS) {
    const provider = new ServerProvider(declaration, context.secrets, changes.event, version);
    context.subscriptions.push(vscode.lm.registerMcpServerDefinitionProvider(declaration.id, provider));
  }
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("aurora") || event.affectsConfiguration("aura")) {
        changes.fire();
      }
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => changes.fire()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => changes.fire()),
    context.secrets.onDidChange(() => changes.fire()),
    vscode.commands.registerCommand("aurora.setToken", () => setToken(context.secrets)),
    vscode.commands.registerCommand("aurora.forgetToken", () => forgetToken(context.secrets)),
  );
}

/**
 * Ask for the access token of the server, and keep it in the editor's secret storage.
 *
 * @param {vscode.SecretStorage} secrets
 */
async function setToken(secrets) {
  const uri = await pickAddress();
  if (!uri) {
    return;
  }
  const token = await vscode.window.showInputBox({
    title: `Access token for ${readOrigin(uri)}`,
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => (/^[\x21-\x7e]+$/.test(value.trim()) ? undefined : "A token has no spaces."),
  });
  if (token) {
    await secrets.store(nameSecret(uri), token.trim());
  }
}

/**
 * Delete the access token of the server.
 *
 * @param {vscode.SecretStorage} secrets
 */
async function forgetToken(secrets) {
  const uri = await pickAddress();
  if (uri) {
    await secrets.delete(nameSecret(uri));
  }
}

/**
 * Pick one of the addresses in the settings; without any, say where one is set.
 *
 * @returns {Promise<vscode.Uri | undefined>}
 */
async function pickAddress() {
  /** @type {vscode.Uri[]} */
  const found = [];
  for (const { section } of PROVIDERS) {
    const uri = parseAddress(readAddress(section));
    if (uri && !found.some((one) => readOrigin(one) === readOrigin(uri))) {
      found.push(uri);
    }
  }
  if (!found.length) {
    await vscode.window.showWarningMessage("No address is set: write it into the setting aurora.apiUrl first.");
    return undefined;
  }
  const names = found.map(readOrigin);
  const name = names.length > 1 ? await vscode.window.showQuickPick(names, { title: "Server" }) : names[0];
  return found.find((uri) => readOrigin(uri) === name);
}

/**
 * @param {string} section
 * @returns {string}
 */
function readAddress(section) {
  return vscode.workspace.getConfiguration(section).get("apiUrl", "").trim();
}

/**
 * Parse an address, and add `/mcp`; undefined for anything but http and https.
 *
 * @param {string} address
 * @returns {vscode.Uri | undefined}
 */
function parseAddress(address) {
  let url;
  try {
    url = new URL(address);
  } catch {
    return undefined;
  }
  if (!["http:", "https:"].includes(url.protocol) || url.username || url.password || url.search || url.hash) {
    return undefined;
  }
  const path = url.pathname.replace(/\/+$/, "");
  return vscode.Uri.parse(`${url.origin}${path.endsWith("/mcp") ? path : `${path}/mcp`}`, true);
}

/**
 * @param {vscode.Uri} uri
 * @returns {string}
 */
function readOrigin(uri) {
  return `${uri.scheme}://${uri.authority}`;
}

/**
 * Return the name of the secret: a token belongs to one origin, so that no other address in a setting receives it.
 *
 * @param {vscode.Uri} uri
 * @returns {string}
 */
function nameSecret(uri) {
  return `token:${readOrigin(uri)}`;
}

/**
 * Return true if no one between this machine and the server can read the requests.
 *
 * @param {vscode.Uri} uri
 * @returns {boolean}
 */
function isPrivate(uri) {
  return uri.scheme === "https" || LOOPBACK_HOSTS.includes(uri.authority.replace(/:\d+$/, ""));
}

module.exports = { activate };
