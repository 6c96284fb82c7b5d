/** The plots of a run, and the buttons that say which of them are shown. */

import { Plot } from "./plot.mjs";
import { View } from "./view.mjs";

const SHORT = {
  queue: "queue", backlog: "backlog", rate: "rate", rtt: "RTT", window: "cwnd", drops: "drops", sequence: "sequence", rto: "RTO", share: "share", own: "own data",
};
const USUAL = ["queue", "rate", "rtt", "window", "drops", "sequence"];

export class Plots {
  #made = new Map();
  #shown = new Set(USUAL);
  #order = USUAL;
  #own = null;
  #drawn = [];

  constructor(host, chips, view, say) {
    this.host = host;
    this.chips = chips;
    this.view = view;
    this.say = say;
    this.colourOf = () => 0;
    view.listen(() => this.#drawn.forEach((plot) => plot.draw()));
  }

  /** Chooses the plots of a lesson and their order, from the next run on: until then those of the last run stay. */
  prefer(panels = USUAL) {
    this.#order = panels;
    this.#shown = new Set(panels);
    this.#own = null;
  }

  /** A panel of the reader's own data, beside those of runs. */
  own(panel) {
    this.#own = panel ?? null;
    if (!panel) return;
    const view = new View();
    view.setDuration(panel.lines[0].time.at(-1) || 1);
    const plot = new Plot(view, this.say);
    view.listen(() => plot.draw());
    this.#made.set(panel.id, plot);
    this.#shown.add(panel.id);
  }

  /** Shows a run, and others beside it; `detailed` with a line for each of their flows. */
  show(result, compared, detailed) {
    this.compared = compared;
    this.detailed = detailed;
    const colours = new Map(result.groups.flatMap(({ indices }, at) => indices.map((index) => [index, at])));
    this.colourOf = (flow) => colours.get(flow) ?? 7;
    const rank = ({ id }) => (this.#order.includes(id) ? this.#order.indexOf(id) : 99);
    this.panels = [...result.panels, ...(this.#own ? [this.#own] : [])].sort((a, b) => rank(a) - rank(b));
    this.#fill();
  }

  #fill() {
    const shown = this.panels.filter(({ id }) => this.#shown.has(id));
    this.#drawn = shown.map((panel) => {
      if (!this.#made.has(panel.id)) this.#made.set(panel.id, new Plot(this.view, this.say));
      return this.#made.get(panel.id);
    });
    const figures = this.#drawn.map((plot) => plot.figure);
    const same = figures.length === this.host.children.length && figures.every((figure, at) => figure === this.host.children[at]);
    if (!same) this.host.replaceChildren(...figures);
    this.#drawn.forEach((plot, at) => {
      const alone = shown[at].id === "own" || shown[at].id === "share";
      plot.show({ ...shown[at], colourOf: this.colourOf }, alone ? [] : this.compared, this.detailed);
    });
    this.#buttons();
  }

  #buttons() {
    this.chips.replaceChildren(
      ...this.panels.map(({ id, title }) => {
        const button = Object.assign(document.createElement("button"), { type: "button", textContent: SHORT[id] ?? id, title });
        button.setAttribute("aria-pressed", this.#shown.has(id));
        button.addEventListener("click", () => {
          this.#shown[this.#shown.has(id) ? "delete" : "add"](id);
          this.#fill();
          [...this.chips.children].find((each) => each.title === title)?.focus();
        });
        return button;
      }),
    );
  }
}
