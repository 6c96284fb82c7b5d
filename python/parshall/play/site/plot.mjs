/**
 * A plot: lines over time on a canvas, a legend with the values at the cursor, and a text that says what is to be seen.
 * All plots share one view.
 */

import { fitted, indexAt, labels, palette, shown, ticks } from "./axes.mjs";
import { keyed } from "./view.mjs";

const LEFT = 52;
const RIGHT = 10;
const TOP = 8;
const BOTTOM = 22;
const DASHES = { A: [7, 4], B: [2, 3] };

export class Plot {
  constructor(view, say) {
    this.view = view;
    this.say = say;
    this.figure = document.createElement("figure");
    this.figure.className = "plot";
    this.figure.innerHTML = `<figcaption><h3></h3><ul class="legend"></ul></figcaption>
      <div class="surface" tabindex="0" role="group"><canvas role="img"></canvas></div>`;
    this.title = this.figure.querySelector("h3");
    this.legend = this.figure.querySelector(".legend");
    this.surface = this.figure.querySelector(".surface");
    this.canvas = this.figure.querySelector("canvas");
    this.#listen();
    new ResizeObserver(() => this.draw()).observe(this.surface);
  }

  /** Shows a panel, or of runs that are compared what all flows together have, or each in detail. */
  show(panel, compared, detailed = false) {
    this.panel = panel;
    this.compared = compared;
    this.figure.dataset.panel = panel.id;
    this.lines = compared.length ? comparedLines(panel, compared, detailed) : panel.lines;
    this.heading = compared.length && !detailed ? (panel.together ?? panel.title) : panel.title;
    this.title.replaceChildren(this.heading, unit(panel.unit));
    this.surface.setAttribute("aria-label", `${this.heading}: arrow keys move the cursor, + and - zoom, 0 shows all`);
    this.canvas.setAttribute("aria-label", this.described());
    this.#makeLegend();
    this.draw();
  }

  #makeLegend() {
    this.values = this.lines.map(() => document.createElement("b"));
    this.legend.replaceChildren(
      ...this.lines.map((line, at) => {
        const item = document.createElement("li");
        const swatch = document.createElement("i");
        swatch.className = line.run ? `run-${line.run}` : line.dashed ? "dashed" : line.thin ? "thin" : "";
        swatch.style.setProperty("--own", this.#cssColour(line));
        item.append(swatch, line.name, " ", this.values[at]);
        if (line.hidden) item.hidden = true;
        return item;
      }),
    );
  }

  #cssColour(line) {
    return line.colour < 0 ? "var(--ink)" : `var(--series-${(line.colour % 8) + 1})`;
  }

  /** The plot in words. */
  described() {
    const { unit: of } = this.panel;
    const each = this.lines.filter((line) => !line.thin).map((line) => {
      const known = line.value.filter((value) => !Number.isNaN(value));
      if (!known.length) return `${line.name} has no values`;
      let least = Infinity;
      let most = -Infinity;
      let sum = 0;
      for (const value of known) {
        least = Math.min(least, value);
        most = Math.max(most, value);
        sum += value;
      }
      return `${line.name} from ${shown(least)} to ${shown(most)} ${of}, mean ${shown(sum / known.length)}`;
    });
    return `${this.heading}, over ${shown(this.view.full[1])} s. ${each.join("; ")}.`;
  }

  draw() {
    if (!this.panel || !this.surface.clientWidth) return;
    const { context, width, height } = fitted(this.canvas);
    this.context = context;
    this.colours = palette(this.figure);
    this.box = { left: LEFT, right: width - RIGHT, top: TOP, bottom: height - BOTTOM };
    this.most = this.#most();
    this.#axes();
    context.save();
    context.beginPath();
    context.rect(this.box.left, this.box.top - 2, this.box.right - this.box.left, this.box.bottom - this.box.top + 3);
    context.clip();
    if (this.panel.dots && !this.compared.length) this.#dots();
    for (const line of this.lines) this.#line(line);
    context.restore();
    this.#cursor();
  }

  x(time) {
    const [from, to] = this.view.range;
    return this.box.left + ((time - from) / (to - from)) * (this.box.right - this.box.left);
  }

  y(value) {
    return this.box.bottom - ((value - this.least) / (this.most - this.least)) * (this.box.bottom - this.box.top);
  }

  /** The top of the axis; it begins at 0, but for sequences that are looked at closely. */
  #most() {
    const [from, to] = this.view.range;
    let most = 0;
    let least = Infinity;
    for (const { time, value } of this.lines) {
      const end = Math.min(time.length - 1, indexAt(time, to) + 1);
      for (let at = Math.max(0, indexAt(time, from)); at <= end; at++) {
        if (value[at] > most) most = value[at];
        if (value[at] < least) least = value[at];
      }
    }
    const close = this.panel.id === "sequence" && to - from < 0.999 * (this.view.full[1] - this.view.full[0]);
    this.least = close && least < most ? least : 0;
    return most > this.least ? this.least + (most - this.least) * 1.06 : this.least + 1;
  }

  #axes() {
    const { context, box, colours } = this;
    context.font = "12px system-ui, sans-serif";
    context.lineWidth = 1;
    context.textBaseline = "middle";
    context.textAlign = "right";
    const rows = ticks(this.least, this.most, Math.max(2, (box.bottom - box.top) / 30), this.panel.unit === "packets" ? 1 : 0);
    labels(rows).forEach((label, at) => {
      const y = Math.round(this.y(rows[at])) + 0.5;
      context.strokeStyle = colours.grid;
      context.beginPath();
      context.moveTo(box.left, y);
      context.lineTo(box.right, y);
      context.stroke();
      context.fillStyle = colours.faint;
      context.fillText(label, box.left - 6, y);
    });
    const [from, to] = this.view.range;
    const columns = ticks(from, to, Math.max(2, (box.right - box.left) / 80));
    context.textBaseline = "alphabetic";
    labels(columns).forEach((label, at) => {
      const x = this.x(columns[at]);
      context.textAlign = x > box.right - 16 ? "right" : "center";
      context.fillText(at === columns.length - 1 ? `${label} s` : label, Math.min(x, box.right), box.bottom + 16);
      context.strokeStyle = colours.faint;
      context.beginPath();
      context.moveTo(Math.round(x) + 0.5, box.bottom);
      context.lineTo(Math.round(x) + 0.5, box.bottom + 4);
      context.stroke();
    });
    context.beginPath();
    context.moveTo(box.left, box.bottom + 0.5);
    context.lineTo(box.right, box.bottom + 0.5);
    context.stroke();
  }

  #colour(line) {
    return line.colour < 0 ? this.colours.ink : this.colours.series[line.colour % 8];
  }

  #line(line) {
    const { context } = this;
    context.strokeStyle = this.#colour(line);
    context.lineWidth = line.thin ? 0.8 : 1.6;
    context.setLineDash(line.run ? (DASHES[line.run] ?? []) : line.dashed ? [4, 4] : []);
    context.lineJoin = "round";
    context.beginPath();
    if (line.stems) this.#stems(line);
    else if (line.steps) this.#path(line, true);
    else this.#path(line, false);
    context.stroke();
    context.setLineDash([]);
  }

  /** A path through the values in view; where they are more than pixels, through the least and the most of each pixel. */
  #path({ time, value }, steps) {
    const [from, to] = this.view.range;
    const first = Math.max(0, indexAt(time, from));
    const last = Math.min(time.length - 1, indexAt(time, to) + 1);
    const dense = last - first > 2 * (this.box.right - this.box.left);
    let pen = false;
    let before = 0;
    for (let at = first; at <= last; at++) {
      if (Number.isNaN(value[at])) {
        pen = false;
        continue;
      }
      const x = this.x(time[at]);
      if (!pen) this.context.moveTo(x, this.y(value[at]));
      else if (steps && !dense) {
        this.context.lineTo(x, before);
        this.context.lineTo(x, this.y(value[at]));
      } else this.context.lineTo(x, this.y(value[at]));
      before = this.y(value[at]);
      pen = true;
    }
  }

  #stems({ time, value }) {
    const [from, to] = this.view.range;
    for (let at = Math.max(0, indexAt(time, from)); at < time.length && time[at] <= to; at++) {
      if (!(value[at] > 0)) continue;
      const x = Math.round(this.x(time[at])) + 0.5;
      this.context.moveTo(x, this.box.bottom);
      this.context.lineTo(x, this.y(value[at]));
    }
  }

  /** Packets of a sequence plot: a dot for each that came, a cross for each that was dropped. */
  #dots() {
    const { time, value, flow, dropped } = this.panel.dots;
    const [from, to] = this.view.range;
    const { context, colours } = this;
    const size = (to - from) / (this.view.full[1] - this.view.full[0]) < 0.2 ? 2.4 : 1;
    const start = Math.max(0, indexAt(time, from));
    for (let at = start; at < time.length && time[at] <= to; at++) {
      const x = this.x(time[at]);
      const y = this.y(value[at]);
      if (!dropped[at]) {
        context.fillStyle = colours.series[this.panel.colourOf(flow[at]) % 8];
        context.fillRect(x - size / 2, y - size / 2, size, size);
      }
    }
    context.strokeStyle = colours.drop;
    context.lineWidth = 1.4;
    context.beginPath();
    for (let at = start; at < time.length && time[at] <= to; at++) {
      if (!dropped[at]) continue;
      const x = this.x(time[at]);
      const y = this.y(value[at]);
      context.moveTo(x - 3, y - 3);
      context.lineTo(x + 3, y + 3);
      context.moveTo(x - 3, y + 3);
      context.lineTo(x + 3, y - 3);
    }
    context.stroke();
  }

  #cursor() {
    const { cursor, range } = this.view;
    this.lines.forEach((line, at) => {
      const index = cursor === null ? -1 : indexAt(line.time, cursor);
      this.values[at].textContent = index < 0 ? "" : shown(line.value[index]);
    });
    if (cursor === null || cursor < range[0] || cursor > range[1]) return;
    const x = Math.round(this.x(cursor)) + 0.5;
    this.context.strokeStyle = this.colours.ink;
    this.context.lineWidth = 1;
    this.context.beginPath();
    this.context.moveTo(x, this.box.top);
    this.context.lineTo(x, this.box.bottom);
    this.context.stroke();
  }

  /** The values at the cursor in words, for those who cannot see them. */
  spoken() {
    const values = this.lines.map((line, at) => `${line.name} ${this.values[at].textContent}`).join(", ");
    return `at ${shown(this.view.cursor)} s: ${values} ${this.panel.unit}`;
  }

  #listen() {
    const time = (event) => {
      const [from, to] = this.view.range;
      const place = event.clientX - this.canvas.getBoundingClientRect().left;
      return from + ((place - this.box.left) / (this.box.right - this.box.left)) * (to - from);
    };
    let start = null;
    this.surface.addEventListener("pointermove", (event) => this.view.setCursor(time(event)));
    this.surface.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse") start = time(event);
      this.view.setCursor(time(event));
    });
    this.surface.addEventListener("pointerup", (event) => {
      const end = time(event);
      const [from, to] = this.view.range;
      if (start !== null && Math.abs(end - start) > 0.02 * (to - from)) this.view.show(Math.min(start, end), Math.max(start, end));
      start = null;
    });
    this.surface.addEventListener("dblclick", () => this.view.reset());
    this.surface.addEventListener("keydown", (event) => {
      if (keyed(this.view, event)) requestAnimationFrame(() => this.say(this.spoken()));
    });
  }
}

function unit(text) {
  const made = document.createElement("span");
  made.className = "unit";
  made.textContent = text;
  return made;
}

/** A line for each run that is compared: what all flows have together. In detail, the lines of each run, dashed by run. */
function comparedLines(panel, compared, detailed) {
  return compared.flatMap(({ label, result }) => {
    const own = result.panels.find((each) => each.id === panel.id);
    if (!own) return [];
    if (detailed) return own.lines.filter((line) => !line.thin && !line.dashed).map((line) => ({ ...line, run: label, name: `${label}: ${line.name}`, stems: false }));
    return own.total ? [{ name: label, run: label, colour: { A: 0, B: 1 }[label] ?? -1, ...own.total }] : [];
  });
}
