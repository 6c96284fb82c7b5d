/** The head of a lesson: its words, the one slider that matters, the variants of it, and the numbers to watch. */

import { shown } from "./axes.mjs";
import { base, quantity } from "./schema.mjs";

export class Hero {
  constructor(host, slid, varied) {
    this.host = host;
    this.slider = host.querySelector("input");
    this.name = host.querySelector("label");
    this.value = host.querySelector("output");
    this.variants = host.querySelector("#variants");
    this.varied = varied;
    this.slider.addEventListener("input", () => {
      const value = this.#chosen();
      this.#name(value);
      slid(this.lesson.slider.path, value);
    });
  }

  /** Shows a lesson, or nothing of one for a scenario of one's own. */
  tell(lesson, story) {
    this.lesson = lesson;
    this.host.hidden = !lesson;
    const title = document.createElement("h2");
    title.textContent = lesson?.title ?? "A scenario of your own";
    const words = (lesson?.text ?? []).map((text) => Object.assign(document.createElement("p"), { textContent: text }));
    story.replaceChildren(title, ...words);
    if (!lesson) return;
    this.name.textContent = lesson.slider.label;
    this.variants.replaceChildren(
      ...(lesson.variants ?? []).map((variant) => {
        const button = Object.assign(document.createElement("button"), { type: "button", textContent: variant.label });
        button.addEventListener("click", () => this.varied(variant.changes));
        return button;
      }),
    );
  }

  /** Puts the slider where the scenario is. */
  follow(scenario) {
    if (!this.lesson) return;
    const { path, range } = this.lesson.slider;
    const now = valueAt(scenario, path);
    this.slider.disabled = now === undefined || Number.isNaN(base(now));
    if (this.slider.disabled) {
      this.value.textContent = "not set";
      return;
    }
    this.slider.value = 1000 * this.#part(base(now), range);
    this.#name(now);
  }

  /** Marks the variant that the scenario is. */
  mark(scenario) {
    (this.lesson?.variants ?? []).forEach(({ changes }, at) => {
      const is = changes.every(([path, value]) => same(valueAt(scenario, path), value));
      this.variants.children[at].setAttribute("aria-pressed", is);
    });
  }

  #part(value, [from, to]) {
    if (this.lesson.slider.linear) return (value - from) / (to - from);
    return Math.log(Math.max(value, from) / from) / Math.log(to / from);
  }

  #chosen() {
    const { range: [from, to], of, linear } = this.lesson.slider;
    const part = this.slider.value / 1000;
    const value = linear ? from + part * (to - from) : from * (to / from) ** part;
    return of === "count" ? Math.round(value) : quantity(Number(value.toPrecision(linear ? 3 : 2)), of);
  }

  #name(value) {
    const { unit } = this.lesson.slider;
    const text = typeof value === "number" && unit ? `${shown(value, 4)} ${unit}` : String(value);
    this.value.textContent = text;
    this.slider.setAttribute("aria-valuetext", text);
  }

  /** The numbers that are seen first. */
  glance(host, { numbers }) {
    const known = {
      delay: ["Queueing delay, mean", numbers.delay, "ms"],
      goodput: ["Goodput, all flows", numbers.goodput, "Mbit/s"],
      drops: ["Dropped", numbers.dropRate, "%"],
      fairness: ["Jain's index", numbers.fairness, ""],
      timeouts: ["Timeouts", numbers.timeouts, ""],
      spurious: ["Spurious timeouts", numbers.spurious, ""],
      utilisation: ["Utilisation", numbers.utilisation, "%"],
      rto: ["Timeout (RTO), mean", numbers.rto, "ms"],
      share: ["Does not respond, last estimate", numbers.share, "%"],
    };
    for (const flow of numbers.flows) known[`flow:${flow.name}`] = [`Goodput of ${flow.name}`, flow.goodput, "Mbit/s"];
    const wanted = this.lesson?.glance ?? ["delay", "goodput", "utilisation", "drops"];
    host.replaceChildren(
      ...wanted.filter((key) => known[key] && !Number.isNaN(known[key][1])).map((key) => {
        const [title, value, unit] = known[key];
        const box = document.createElement("div");
        const term = Object.assign(document.createElement("dt"), { textContent: title });
        const shows = Object.assign(document.createElement("dd"), { textContent: shown(value) });
        shows.append(Object.assign(document.createElement("small"), { textContent: unit && ` ${unit}` }));
        box.append(term, shows);
        return box;
      }),
    );
  }
}

/** The value at a path; a part that is named by its kind alone is a table with that kind. */
function valueAt(scenario, path) {
  let found = scenario;
  for (const step of path) {
    if (typeof found === "string" && step === "kind") return found;
    found = found?.[step];
  }
  return found;
}

function same(one, other) {
  if (other === null) return one === undefined;
  const kind = (value) => (typeof value === "string" ? value : value?.kind);
  if (typeof other === "object" && !Array.isArray(other)) {
    const given = typeof one === "string" ? { kind: one } : one;
    return kind(one) === kind(other) && Object.entries(other).every(([key, value]) => key === "limit_packets" || same(given?.[key], value));
  }
  return JSON.stringify(one) === JSON.stringify(other);
}
