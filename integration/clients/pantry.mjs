// Drives the pantry: what an assistant does when the noodles are used up.
// The pantry must have noodles; they are out afterwards.

import assert from "node:assert/strict";

import { call, drive, listTools, refusal } from "./lib.mjs";

const tools = [
	"get_pantry",
	"set_item_state",
	"add_to_pantry",
	"what_can_i_cook",
	"get_recipes",
	"log_cook",
	"create_meta_recipe",
];

const items = (pantry) => Object.values(pantry.items).flat();
const stocked = ({ counts }) => (counts.in ?? 0) + (counts.low ?? 0);

await drive(async ({ step, client }) => {
	await step(
		"tools/list",
		() => listTools(client, tools),
		(listed) => ({ tools: listed.map((tool) => tool.name) }),
	);

	const before = await step(
		"get_pantry",
		async () => {
			const pantry = await call(client, "get_pantry");
			assert.ok(stocked(pantry) > 0, "nothing is in stock");
			assert.equal(items(pantry).length, stocked(pantry), "the counts are not those of the items");
			assert.ok(!items(pantry).some((item) => item.state === "out"), "it lists what is out");
			return pantry;
		},
		({ counts }) => ({ counts }),
	);

	const changed = await step(
		"set_item_state",
		async () => {
			const item = await call(client, "set_item_state", { ingredient: "noodles", state: "out" });
			assert.equal(item.state, "out");
			assert.ok(
				items(before).some(({ name }) => name === item.name),
				`${item.name} was not in stock before`,
			);
			return item;
		},
		(item) => item,
	);

	await step(
		"get_pantry again",
		async () => {
			const pantry = await call(client, "get_pantry");
			assert.equal(stocked(pantry), stocked(before) - 1, "the counts did not change by one");
			assert.ok(!items(pantry).some(({ name }) => name === changed.name), `it still lists ${changed.name}`);
			return pantry;
		},
		({ counts }) => ({ counts }),
	);

	await step(
		"get_pantry with include_out",
		async () => {
			const pantry = await call(client, "get_pantry", { include_out: true });
			const item = items(pantry).find(({ name }) => name === changed.name);
			assert.equal(item?.state, "out");
			return pantry;
		},
		({ counts }) => ({ counts }),
	);

	await step(
		"bad state",
		async () => {
			const text = await refusal(client, "set_item_state", { ingredient: "noodles", state: "gone" });
			assert.match(text, /state/, "it does not name the field");
			for (const state of ["in", "low", "out"]) {
				assert.match(text, new RegExp(`\\b${state}\\b`), `it does not offer '${state}'`);
			}
			return text;
		},
		(text) => ({ text }),
	);

	await step(
		"unknown ingredient",
		async () => {
			const text = await refusal(client, "set_item_state", { ingredient: "noodels", state: "in" });
			assert.ok(text.includes(changed.name), `it does not suggest ${changed.name}`);
			return text;
		},
		(text) => ({ text }),
	);
});
