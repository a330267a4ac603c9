#!/usr/bin/env node
// Uses a server with one of the client libraries:
//
//	./drive.mjs LIBRARY URL [TOKEN]
//
// It reads a list of {name, arguments} from standard input, lists the tools,
// calls them in this order, and prints {tools, results}: the names of the
// tools, and what each call gives.

import { json } from "node:stream/consumers";

const [library, url, token] = process.argv.slice(2);
const headers = token ? { Authorization: `Bearer ${token}` } : {};
const info = { name: "caddymcp-test", version: "1" };

const libraries = {
	sdk: async () => {
		const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
		const http = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
		return connect(new Client(info), http);
	},
	"client-auto": () => negotiate("auto"),
	"client-legacy": () => negotiate("legacy"),
	"ai-sdk": async () => {
		const { createMCPClient } = await import("@ai-sdk/mcp");
		return createMCPClient({ transport: { type: "http", url, headers } });
	},
};

async function negotiate(mode) {
	const sdk = await import("@modelcontextprotocol/client");
	return connect(new sdk.Client(info, { versionNegotiation: { mode } }), sdk);
}

async function connect(client, { StreamableHTTPClientTransport }) {
	await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
	return client;
}

const client = await libraries[library]();
const { tools } = await client.listTools();
const results = [];
for (const call of await json(process.stdin)) results.push(await client.callTool(call));
await client.transport.terminateSession?.(); // the AI SDK does it when it closes
await client.close();
console.log(JSON.stringify({ tools: tools.map(({ name }) => name), results }));
