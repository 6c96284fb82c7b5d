/** The form of a scenario: the run, the bottleneck or the links, the flows. It follows the text, and the text follows it. */

import { Fields } from "./fields.mjs";

export class Controls {
  #opened = new Set();

  /** `edit` has set(path, value, how), remove(path) and append(path, value), which change the text. */
  constructor(host, edit) {
    this.host = host;
    this.edit = edit;
  }

  set schema(schema) {
    this.fields = new Fields(schema, (path, value, how) => (value === undefined ? this.edit.remove(path, how) : this.edit.set(path, value, how)), this.#opened);
    this.known = schema;
  }

  /** Shows a scenario; while a control has the focus, it keeps it. */
  show(scenario) {
    if (!this.fields) return;
    const focused = this.host.contains(document.activeElement) ? document.activeElement.dataset.path : undefined;
    const top = this.known.fields(scenario.dumbbell ? "DumbbellFile" : "Scenario");
    const one = (name) => this.fields.field(name, top[name], scenario[name], [name]);
    const parts = [this.#group("Run", [one("duration"), one("warm_up"), ...(scenario.dumbbell ? [] : [one("hosts"), one("routers"), one("routing")])])];
    if (scenario.dumbbell) parts.push(...this.#dumbbell(scenario.dumbbell));
    else parts.push(...this.#network(scenario));
    this.host.replaceChildren(...parts);
    if (focused) this.host.querySelector(`[data-path="${CSS.escape(focused)}"]`)?.focus();
  }

  #dumbbell(dumbbell) {
    const path = ["dumbbell"];
    return [
      this.#group("Bottleneck", [this.fields.part("Dumbbell", dumbbell, path)]),
      ...this.#list("Flows", "FlowGroup", dumbbell.flows ?? [], [...path, "flows"], { name: "more", transport: "tcp", app: "bulk" }),
    ];
  }

  #network(scenario) {
    const { hosts = [], links = [], flows = [] } = scenario;
    const flow = { name: unused("flow", flows), source: hosts[0], destination: hosts.at(-1), transport: "tcp", app: "bulk" };
    const pair = apart(scenario);
    return [
      ...this.#list("Link", "Link", links, ["links"], pair && { between: pair, rate: "10 Mbit/s", delay: "10 ms" }),
      ...this.#list("Flow", "Flow", flows, ["flows"], hosts.length > 1 && flow),
    ];
  }

  /** A group for each item of a list, and a button for another one where there is a start for it. */
  #list(title, part, items, path, another) {
    const groups = items.map((item, at) => {
      const name = item.name ?? item.between?.join(" – ") ?? "";
      const more = items.length > 1 ? [this.#button("Remove", () => this.edit.remove([...path, at], "kind"))] : [];
      return this.#group(`${title} ${name || at + 1}`, [this.fields.part(part, item, [...path, at]), ...more], items.length > 4);
    });
    if (another) groups.push(this.#button(`Add ${title === "Link" ? "a link" : title === "Flow" ? "a flow" : "flows"}`, () => this.edit.append(path, another)));
    return groups;
  }

  #group(title, content, folded = false) {
    const box = document.createElement("details");
    box.className = "group";
    const name = `group ${title}`;
    box.open = folded ? this.#opened.has(name) : !this.#opened.has(`${name} closed`);
    box.addEventListener("toggle", () => {
      this.#opened[box.open ? "add" : "delete"](name);
      this.#opened[box.open ? "delete" : "add"](`${name} closed`);
    });
    const summary = document.createElement("summary");
    summary.textContent = title;
    box.append(summary, ...content);
    return box;
  }

  #button(text, does) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: text });
    button.addEventListener("click", does);
    return button;
  }
}

/** A name that no item has yet. */
function unused(stem, items) {
  const taken = new Set(items.map((item) => item.name));
  let number = items.length + 1;
  while (taken.has(stem + number)) number++;
  return stem + number;
}

/** Two nodes without a link between them, routers first, or undefined. */
function apart({ hosts = [], routers = [], links = [] }) {
  const linked = new Set(links.flatMap(({ between = [] }) => [between.join(), [...between].reverse().join()]));
  const nodes = [routers, hosts].flat().slice(0, 100);
  for (const one of nodes) for (const other of nodes) if (one !== other && !linked.has([one, other].join())) return [one, other];
  return undefined;
}
