// What the surfaces' drivers share: a connected client, and steps that are
// reported as one line of JSON each. NODE_EXTRA_CA_CERTS names the certificate
// authority of a server with a private one, as for every Node program.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

// drive connects to the URL on the command line and runs body({step, client}).
// The process exits with 0 if every step holds, and with 1 at the first that
// does not.
export async function drive(body) {
	const url = target();
	const client = new Client({ name: "caddymcp-driver", version: "1.0.0" });
	const transport = new StreamableHTTPClientTransport(url);

	// step runs check and prints its name and outcome, with the fields that
	// report(value) gives, and returns the value of check.
	const step = async (name, check, report = () => ({})) => {
		try {
			const value = await check();
			print({ step: name, ok: true, ...report(value) });
			return value;
		} catch (err) {
			print({ step: name, ok: false, error: explain(err, url) });
			throw new Failed();
		}
	};

	try {
		await step(
			"connect",
			() => client.connect(transport),
			() => ({ server: client.getServerVersion()?.name, protocol: transport.protocolVersion }),
		);
		await body({ step, client });
		await step("close", async () => {
			await transport.terminateSession();
			await client.close();
		});
	} catch (err) {
		if (!(err instanceof Failed)) throw err;
		process.exitCode = 1;
		await client.close();
	}
}

// listTools returns the tools, and fails unless they have just these names.
export async function listTools(client, names) {
	const { tools } = await client.listTools();
	assert.deepEqual(tools.map((tool) => tool.name).toSorted(), names.toSorted());
	for (const tool of tools) assert.ok(tool.description, `${tool.name} has no description`);
	return tools;
}

// call calls a tool and returns its reply, decoded from the one text block.
export async function call(client, name, args = {}) {
	const result = await client.callTool({ name, arguments: args });
	const text = onlyText(result);
	assert.ok(!result.isError, `${name} answered with an error: ${text}`);
	return JSON.parse(text);
}

// refusal calls a tool that must answer with isError, and returns its text:
// one short paragraph for a model to read, and not a protocol error.
export async function refusal(client, name, args) {
	const result = await client.callTool({ name, arguments: args });
	const text = onlyText(result);
	assert.ok(result.isError, `${name} accepted ${JSON.stringify(args)}: ${text}`);
	assert.ok(text.length > 0 && text.length <= 500, `the refusal has ${text.length} characters`);
	assert.doesNotMatch(text, /<\/?[a-z]|\n\s+at |goroutine |panic/i, "the refusal is not plain text");
	return text;
}

class Failed extends Error {}

function print(line) {
	process.stdout.write(JSON.stringify(line) + "\n");
}

// explain is an error's message and cause. The URL can hold a secret, so its
// path is not shown.
function explain(err, url) {
	const text = [err.message, err.cause?.message].filter(Boolean).join(": ");
	return url.pathname.length > 1 ? text.replaceAll(url.pathname, "/…") : text;
}

function onlyText({ content }) {
	assert.deepEqual(
		content.map((block) => block.type),
		["text"],
		"the reply is not one text block",
	);
	return content[0].text;
}

// target is the URL of the command line. Node reads its certificate
// authorities when it starts, so --ca starts it again.
function target() {
	let args;
	try {
		args = parseArgs({ allowPositionals: true, options: { ca: { type: "string" } } });
		if (args.positionals.length !== 1) throw new Error("one URL is needed");
		args.url = new URL(args.positionals[0]);
	} catch (err) {
		process.stderr.write(`${err.message}\nusage: node ${process.argv[1]} URL [--ca FILE]\n`);
		process.exit(2);
	}
	if (args.values.ca !== undefined) {
		const again = spawnSync(process.execPath, [process.argv[1], args.positionals[0]], {
			env: { ...process.env, NODE_EXTRA_CA_CERTS: args.values.ca },
			stdio: "inherit",
		});
		process.exit(again.status ?? 1);
	}
	return args.url;
}
