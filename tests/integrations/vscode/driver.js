"use strict";
// Activates the extension in a stand-in for the editor, plays a scenario from standard input, and prints what came of it.
// The stand-in has the documented behaviour of the parts of the API that the extension uses; the types of all its uses
// are checked against the editor's own declarations in another test.
const Module = require("node:module");

class EventEmitter {
  constructor() {
    this.listeners = [];
    this.event = (listener) => {
      this.listeners.push(listener);
      return { dispose: () => this.listeners.splice(this.listeners.indexOf(listener), 1) };
    };
  }
  fire(value) {
    for (const listener of [...this.listeners]) listener(value);
  }
  dispose() {
    this.listeners.length = 0;
  }
}
class Uri {
  constructor(scheme, authority, path) {
    Object.assign(this, { scheme, authority, path, fsPath: path });
  }
  static parse(value, strict) {
    const found = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(.*)$/i.exec(value);
    if (!found && strict) throw new Error(`not a URI: ${value}`);
    return new Uri(...found.slice(1));
  }
  toString() {
    return `${this.scheme}://${this.authority}${this.path}`;
  }
}
class McpStdioServerDefinition {
  constructor(label, command, args = [], env = {}, version) {
    Object.assign(this, { label, command, args, env, version });
  }
}
class McpHttpServerDefinition {
  constructor(label, uri, headers = {}, version) {
    Object.assign(this, { label, uri, headers, version });
  }
}

const scenario = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const manifest = require(`${scenario.extension}/package.json`);
const settings = { ...scenario.settings };
const kept = { ...scenario.secrets };
const events = { configuration: new EventEmitter(), folders: new EventEmitter(), trust: new EventEmitter() };
const secretChanges = new EventEmitter();
const providers = {};
const commands = {};
const shown = [];
const disposable = { dispose() {} };
const vscode = {
  EventEmitter,
  Uri,
  McpStdioServerDefinition,
  McpHttpServerDefinition,
  lm: {
    registerMcpServerDefinitionProvider(id, provider) {
      if (!manifest.contributes.mcpServerDefinitionProviders.some((one) => one.id === id))
        throw new Error(`${id} is not declared in package.json`);
      if (id in providers) throw new Error(`${id} is registered twice`);
      providers[id] = provider;
      return disposable;
    },
  },
  workspace: {
    isTrusted: scenario.trusted ?? true,
    workspaceFolders: scenario.folders?.map((path) => ({ uri: Uri.parse(path, true), name: path.split("/").pop() })),
    getConfiguration: (section) => ({
      get(name, otherwise) {
        const key = `${section}.${name}`;
        if (!(key in manifest.contributes.configuration.properties)) throw new Error(`${key} is not declared`);
        return settings[key] ?? manifest.contributes.configuration.properties[key].default ?? otherwise;
      },
    }),
    onDidChangeConfiguration: events.configuration.event,
    onDidChangeWorkspaceFolders: events.folders.event,
    onDidGrantWorkspaceTrust: events.trust.event,
  },
  window: {
    showInputBox: async (options) => (options.validateInput(scenario.typed) ? undefined : scenario.typed),
    showQuickPick: async (names) => names[scenario.picked ?? 0],
    showWarningMessage: async (message) => void shown.push(message),
  },
  commands: {
    registerCommand(id, run) {
      if (!manifest.contributes.commands.some((one) => one.command === id)) throw new Error(`${id} is not declared`);
      commands[id] = run;
      return disposable;
    },
  },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

async function main() {
  const secrets = {
    get: async (name) => kept[name],
    store: async (name, value) => void ((kept[name] = value), secretChanges.fire({ key: name })),
    delete: async (name) => void (delete kept[name], secretChanges.fire({ key: name })),
    onDidChange: secretChanges.event,
  };
  const context = { subscriptions: [], secrets, extension: { packageJSON: manifest } };
  require(`${scenario.extension}/extension.js`).activate(context);
  let changes = 0;
  for (const provider of Object.values(providers)) provider.onDidChangeMcpServerDefinitions(() => changes++);
  for (const event of scenario.events ?? []) {
    events[event.name].fire({ affectsConfiguration: (section) => section === event.section });
  }
  for (const command of scenario.commands ?? []) await commands[command]();
  const servers = {};
  for (const [id, provider] of Object.entries(providers)) {
    servers[id] = [];
    for (const server of await provider.provideMcpServerDefinitions({})) {
      try {
        const resolved = await provider.resolveMcpServerDefinition(server, {});
        servers[id].push({ ...resolved, uri: resolved.uri?.toString(), cwd: resolved.cwd?.fsPath });
      } catch (error) {
        servers[id].push({ refused: error.message });
      }
    }
  }
  console.log(JSON.stringify({ servers, changes, kept, shown, disposables: context.subscriptions.length }));
}
main();
